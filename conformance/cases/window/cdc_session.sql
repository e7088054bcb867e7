-- SESSION over a retracting source
CREATE TABLE cdc2w (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '4' MINUTE) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT window_start, window_end, cat, COUNT(*) c, SUM(qty) s, MIN(qty) m FROM TABLE(SESSION(TABLE cdc2w PARTITION BY cat, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, cat;
