-- COALESCE of FLOAT and DOUBLE is DOUBLE; CASE, IF and NULLIF keep the first
CREATE TABLE nu (id INT, d1 DECIMAL(10,2), d2 DECIMAL(12,8), d3 DECIMAL(20,4), i INT, b BIGINT, f FLOAT, g DOUBLE) WITH ('connector'='filesystem','path'='${DATA}/figures.jsonl','format'='json');
SELECT id, COALESCE(f, g) a, COALESCE(g, f) b, CASE WHEN id = 1 THEN f ELSE g END c, COALESCE(f, i) d, COALESCE(f, b) e, CASE WHEN id > 2 THEN f ELSE 1.5 END h, COALESCE(d1, g) j, IF(id = 1, f, g) k, NULLIF(f, g) l, COALESCE(i, f, g) m, CASE WHEN id=1 THEN CAST(1 AS SMALLINT) ELSE f END n FROM nu;
