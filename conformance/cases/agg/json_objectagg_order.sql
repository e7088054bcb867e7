-- JSON_OBJECTAGG writes its keys in order
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SELECT JSON_OBJECTAGG(KEY s VALUE n) a FROM (SELECT s, MAX(n) n FROM ev WHERE s IS NOT NULL GROUP BY s);
