-- NOT IN and IN with subqueries, one of them below OR
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
CREATE TABLE cdc3 (id3 INT, g3 STRING, lim INT, PRIMARY KEY (id3) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes2.jsonl','format'='debezium-json');
SELECT id FROM cdc2 a WHERE a.qty NOT IN (SELECT lim FROM cdc3 WHERE lim IS NOT NULL) AND (a.grp = 'x' OR a.grp IN (SELECT g3 FROM cdc3));
