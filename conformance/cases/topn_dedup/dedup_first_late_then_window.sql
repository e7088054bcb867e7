-- a window over keep-first with late rows
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
CREATE VIEW dd AS SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, u ORDER BY ts) rn FROM ev) WHERE rn = 1;
SELECT window_start, k, COUNT(*) c, SUM(v) FROM TABLE(TUMBLE(TABLE dd, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k;
