-- CUMULATE with late rows and null keys
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SELECT window_start, window_end, k, COUNT(*) c, SUM(d) s, COUNT(DISTINCT s) ds, MAX(v) FILTER (WHERE u IS NOT NULL) mx FROM TABLE(CUMULATE(TABLE ev, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND)) GROUP BY k, window_start, window_end;
