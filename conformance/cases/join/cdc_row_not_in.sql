-- NOT IN of a row and a subquery of two columns
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
CREATE TABLE cdc3 (id3 INT, g3 STRING, lim INT, PRIMARY KEY (id3) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes2.jsonl','format'='debezium-json');
SELECT id FROM cdc2 WHERE (grp, qty) NOT IN (SELECT g3, lim FROM cdc3 WHERE g3 IS NOT NULL AND lim IS NOT NULL);
