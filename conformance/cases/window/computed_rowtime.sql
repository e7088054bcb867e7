-- windows by a computed row time, with computed keys
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
CREATE TABLE cc (n INT, k STRING, v INT, ts TIMESTAMP(3), v2 AS v * 2, kk AS COALESCE(k, '?'), d AS CAST(ts AS DATE), ts2 AS ts - INTERVAL '1' SECOND, WATERMARK FOR ts2 AS ts2 - INTERVAL '30' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SELECT window_start, kk, SUM(v2) s, MAX(d) d FROM TABLE(TUMBLE(TABLE cc, DESCRIPTOR(ts2), INTERVAL '30' SECOND)) GROUP BY window_start, window_end, kk;
