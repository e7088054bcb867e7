-- an aggregate over a FULL join of two retracting sources with a residual
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
CREATE TABLE cdc3 (id3 INT, g3 STRING, lim INT, PRIMARY KEY (id3) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes2.jsonl','format'='debezium-json');
SELECT g3, COUNT(*) c, COUNT(id) ci, SUM(qty) s, MAX(lim) m FROM cdc2 FULL JOIN cdc3 ON grp = g3 AND qty > lim GROUP BY g3;
