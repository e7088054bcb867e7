-- arithmetic of mixed numeric types
CREATE TABLE nu (id INT, d1 DECIMAL(10,2), d2 DECIMAL(12,8), d3 DECIMAL(20,4), i INT, b BIGINT, f FLOAT, g DOUBLE) WITH ('connector'='filesystem','path'='${DATA}/figures.jsonl','format'='json');
SELECT id, i + b a, i * i c, b + 1 d, i / 2 e, b / i f, i % 2 h, f + g j, f * d1 k, g / f l, i - f m, -i n, f / i o FROM nu WHERE id <> 5;
