-- aggregate over a LEFT join of an aggregate
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
CREATE TABLE cdc3 (id3 INT, g3 STRING, lim INT, PRIMARY KEY (id3) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes2.jsonl','format'='debezium-json');
SELECT x.grp, SUM(x.c) s, COUNT(y.lim) cl, COUNT(*) n FROM (SELECT grp, cat, COUNT(*) c FROM cdc2 GROUP BY grp, cat) x LEFT JOIN cdc3 y ON x.grp = y.g3 AND x.c >= y.lim GROUP BY x.grp;
