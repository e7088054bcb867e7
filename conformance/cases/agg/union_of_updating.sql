-- an aggregate over UNION ALL of updating inputs
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
CREATE TABLE ev2 (m INT, k2 STRING, u2 INT, w INT, ts2 TIMESTAMP(3), WATERMARK FOR ts2 AS ts2 - INTERVAL '2' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late2.jsonl','format'='json');
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT kk, SUM(c) s, COUNT(*) n FROM (SELECT k kk, COUNT(*) c FROM ev GROUP BY k UNION ALL SELECT k2, SUM(w) FROM ev2 GROUP BY k2 UNION ALL SELECT grp, CAST(qty AS BIGINT) FROM cdc2) GROUP BY kk;
