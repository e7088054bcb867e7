-- SESSION by two keys with late rows
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SELECT window_start, window_end, k, u, COUNT(*) c, MIN(n) mn, MAX(n) mx FROM TABLE(SESSION(TABLE ev PARTITION BY (k, u), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k, u;
