-- three LEFT joins, aggregates among them
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
CREATE TABLE cdc3 (id3 INT, g3 STRING, lim INT, PRIMARY KEY (id3) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes2.jsonl','format'='debezium-json');
SELECT a.id, b.lim, c.mx, d.c FROM cdc2 a LEFT JOIN cdc3 b ON a.id = b.id3 LEFT JOIN (SELECT g3, MAX(lim) mx FROM cdc3 GROUP BY g3) c ON a.grp = c.g3 LEFT JOIN (SELECT cat, COUNT(*) c FROM cdc2 GROUP BY cat) d ON d.cat = a.cat AND d.c > a.id;
