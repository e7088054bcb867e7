-- several distinct aggregates with filters over a retracting source
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT cat, COUNT(DISTINCT grp) a, COUNT(DISTINCT qty) FILTER (WHERE grp <> 'x') b, SUM(DISTINCT qty) c, COUNT(DISTINCT grp) FILTER (WHERE qty > 3) d, AVG(DISTINCT qty) e FROM cdc2 GROUP BY cat;
