-- two aggregates over a LEFT join with a residual
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
CREATE TABLE cdc3 (id3 INT, g3 STRING, lim INT, PRIMARY KEY (id3) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes2.jsonl','format'='debezium-json');
SELECT cat, n, SUM(c) s, COUNT(*) k FROM (SELECT cat, grp, COUNT(id3) c, COUNT(*) n FROM cdc2 LEFT JOIN cdc3 ON grp = g3 AND qty >= lim GROUP BY cat, grp) GROUP BY cat, n;
