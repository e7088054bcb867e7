-- compared rows that hold NULLs; IN and NOT IN a list of rows
CREATE TABLE ev (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
SELECT n, (k, u) = ('a', 1) a, (k, u) <> ('a', 1) b, (k, u) IN (('a', 1), ('b', 2)) c, (k, u) NOT IN (('a', 1), ('b', 2)) d, ROW(k, u) IS NULL e, (k, u) IS NOT DISTINCT FROM ('a', 1) f FROM ev WHERE n < 60;
