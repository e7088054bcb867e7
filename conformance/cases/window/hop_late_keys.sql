-- HOP with late rows, null keys, filtered distinct counts
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SELECT window_start, window_end, k, COUNT(*) c, SUM(v) s, COUNT(DISTINCT u) du, COUNT(DISTINCT u) FILTER (WHERE v > 5) duf, AVG(d) ad, MIN(s) ms FROM TABLE(HOP(TABLE ev, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND)) GROUP BY window_start, window_end, k;
