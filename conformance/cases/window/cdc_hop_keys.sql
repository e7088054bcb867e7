-- HOP over a retracting source
CREATE TABLE cdc2w (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '4' MINUTE) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT window_start, window_end, grp, COUNT(*) c, SUM(qty) s, MAX(qty) m, COUNT(DISTINCT cat) FROM TABLE(HOP(TABLE cdc2w, DESCRIPTOR(ts), INTERVAL '30' SECOND, INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, grp;
