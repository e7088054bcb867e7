-- windows over windows by window_time
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
CREATE VIEW w5 AS SELECT window_start ws, window_end we, window_time rt, u, SUM(v) sv, COUNT(*) c FROM TABLE(HOP(TABLE ev, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time, u;
SELECT window_start, window_end, MAX(sv) s, SUM(c) c, COUNT(DISTINCT u) n FROM TABLE(CUMULATE(TABLE w5, DESCRIPTOR(rt), INTERVAL '10' SECOND, INTERVAL '30' SECOND)) GROUP BY window_start, window_end;
