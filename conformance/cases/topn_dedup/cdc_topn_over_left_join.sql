-- Top-N over a LEFT join of retracting sources
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
CREATE TABLE cdc3 (id3 INT, g3 STRING, lim INT, PRIMARY KEY (id3) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes2.jsonl','format'='debezium-json');
SELECT cat, id, id3, rn FROM (SELECT a.cat, a.id, b.id3, ROW_NUMBER() OVER (PARTITION BY a.cat ORDER BY a.qty DESC, a.id, b.id3 DESC) rn FROM cdc2 a LEFT JOIN cdc3 b ON a.grp = b.g3 AND a.qty > b.lim) WHERE rn <= 4;
