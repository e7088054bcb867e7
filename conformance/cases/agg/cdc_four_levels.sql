-- four levels of aggregates with HAVING over a retracting source
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT m, COUNT(*) c FROM (SELECT c, MAX(s) m FROM (SELECT grp, COUNT(*) c, SUM(q) s FROM (SELECT grp, cat, SUM(qty) q FROM cdc2 GROUP BY grp, cat HAVING COUNT(*) > 1) GROUP BY grp) GROUP BY c) GROUP BY m;
