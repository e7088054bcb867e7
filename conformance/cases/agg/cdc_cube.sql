-- CUBE over a retracting source
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT grp, cat, COUNT(*) c, SUM(qty) s, GROUPING(grp) g, GROUPING_ID(grp, cat) gi, COUNT(DISTINCT id) d FROM cdc2 GROUP BY CUBE (grp, cat);
