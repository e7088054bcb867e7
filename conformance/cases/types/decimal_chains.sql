-- precision and scale of decimal arithmetic
CREATE TABLE nu (id INT, d1 DECIMAL(10,2), d2 DECIMAL(12,8), d3 DECIMAL(20,4), i INT, b BIGINT, f FLOAT, g DOUBLE) WITH ('connector'='filesystem','path'='${DATA}/figures.jsonl','format'='json');
SELECT id, d1 + d2 a, d1 - d3 b, d1 * d2 c, d2 * d3 d, d1 * i e, d1 + b f, d1 * 1.5 g, -d1 h, ABS(d1) j, d1 * d1 * d1 k, d1 + d2 + d3 l, d3 * d3 m FROM nu;
