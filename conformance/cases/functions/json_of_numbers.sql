-- JSON of FLOAT, DOUBLE and DECIMAL
CREATE TABLE nu (id INT, d1 DECIMAL(10,2), d2 DECIMAL(12,8), d3 DECIMAL(20,4), i INT, b BIGINT, f FLOAT, g DOUBLE) WITH ('connector'='filesystem','path'='${DATA}/figures.jsonl','format'='json');
SELECT id, JSON_STRING(d1) a, JSON_STRING(f) b, JSON_STRING(g) c, JSON_STRING(b) d, JSON_OBJECT('d' VALUE d2, 'g' VALUE g, 'f' VALUE f) e, JSON_ARRAY(d3, i, b) f FROM nu;
