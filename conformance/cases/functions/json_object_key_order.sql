-- keys of JSON objects are in order, those of nested rows too
CREATE TABLE ne (id INT, a ARRAY<INT>, m MAP<STRING,INT>, r ROW<p INT, q ROW<z STRING, l ARRAY<INT>>>) WITH ('connector'='filesystem','path'='${DATA}/nests.jsonl','format'='json');
SELECT id, JSON_OBJECT('z' VALUE 1, 'a' VALUE 2, 'm' VALUE JSON_QUERY('{"q":1,"b":2}', '$')) a, JSON_OBJECT('z' VALUE r, 'b' VALUE m) b FROM ne;
