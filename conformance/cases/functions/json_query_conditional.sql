-- JSON_QUERY: a conditional wrapper leaves only arrays alone
CREATE TABLE js (id INT, j STRING) WITH ('connector'='filesystem','path'='${DATA}/jsontexts.jsonl','format'='json');
SELECT id, JSON_QUERY(j, '$.d' WITH CONDITIONAL WRAPPER) a, JSON_QUERY(j, '$.a' WITH CONDITIONAL ARRAY WRAPPER) b, JSON_QUERY(j, '$.b' WITH UNCONDITIONAL WRAPPER) c, JSON_QUERY(j, '$') d, JSON_VALUE(j, '$.b[0]') e, JSON_QUERY(j, '$.b[*].c') f FROM js WHERE id <> 5;
