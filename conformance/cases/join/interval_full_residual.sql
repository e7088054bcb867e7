-- FULL interval join with a residual and null keys
CREATE TABLE evs (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '30' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
CREATE TABLE ev2s (m INT, k2 STRING, u2 INT, w INT, ts2 TIMESTAMP(3), WATERMARK FOR ts2 AS ts2 - INTERVAL '30' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late2.jsonl','format'='json');
SELECT a.n, b.m, a.ts, b.ts2 FROM evs a FULL JOIN ev2s b ON a.u = b.u2 AND a.ts >= b.ts2 AND a.ts < b.ts2 + INTERVAL '5' SECOND AND a.v <> b.w;
