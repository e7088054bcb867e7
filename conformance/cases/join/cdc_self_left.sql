-- LEFT self join of a retracting source
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT a.id, b.id bid, a.qty, b.qty bq FROM cdc2 a LEFT JOIN cdc2 b ON a.grp = b.grp AND a.id < b.id AND a.qty <> b.qty;
