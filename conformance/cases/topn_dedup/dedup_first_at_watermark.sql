-- keep-first by row time: a row at the watermark is not late, one behind it is
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SELECT n, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY n ORDER BY ts) rn FROM ev) WHERE rn = 1;
