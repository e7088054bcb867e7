-- windows by an instant made of milliseconds, in a zone
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
CREATE TABLE cc (n INT, k STRING, v INT, ts TIMESTAMP(3), ms AS 1725192000000 + n * 1000, t3 AS TO_TIMESTAMP_LTZ(1725192000000 + n * 1000, 3), WATERMARK FOR t3 AS t3 - INTERVAL '5' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SET 'table.local-time-zone' = 'America/New_York';
SELECT window_start, window_end, window_time, COUNT(*) c, SUM(v) s FROM TABLE(TUMBLE(TABLE cc, DESCRIPTOR(t3), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, window_time;
