-- a temporal join with a view of the last rows needs every version
CREATE TABLE evs (n INT, k STRING, u INT, v INT, d DECIMAL(10,2), s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '30' SECOND) WITH ('connector'='filesystem','path'='${DATA}/late.jsonl','format'='json');
CREATE TABLE vers (vk STRING, price DECIMAL(8,3), vt TIMESTAMP(3), WATERMARK FOR vt AS vt - INTERVAL '30' SECOND, PRIMARY KEY (vk) NOT ENFORCED) WITH ('connector'='filesystem','path'='${DATA}/versions.jsonl','format'='json');
CREATE VIEW vv AS SELECT vk, price, vt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY vk ORDER BY vt DESC) rn FROM vers) WHERE rn = 1;
SELECT a.n, p.price, p.vt FROM evs a LEFT JOIN vv FOR SYSTEM_TIME AS OF a.ts AS p ON a.k = p.vk;
