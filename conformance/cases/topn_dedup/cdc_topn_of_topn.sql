-- Top-N over Top-N over a retracting source
CREATE TABLE cdc2 (id INT, grp STRING, qty INT, cat STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/changes.jsonl','format'='debezium-json');
SELECT grp, id, qty FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY qty DESC, id) r2 FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY grp ORDER BY qty DESC, id) rn FROM cdc2) WHERE rn <= 2) WHERE r2 <= 3;
