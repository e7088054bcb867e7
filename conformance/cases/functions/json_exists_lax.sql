-- JSON_EXISTS: a path that leads nowhere is an error unless it says lax
CREATE TABLE js (id INT, j STRING) WITH ('connector'='filesystem','path'='${DATA}/jsontexts.jsonl','format'='json');
SELECT id, JSON_EXISTS(j, 'lax $.d') a, JSON_EXISTS(j, 'lax $.zz' TRUE ON ERROR) b, JSON_EXISTS(j, '$.zz' TRUE ON ERROR) c, JSON_EXISTS(j, 'lax $.b[5]' TRUE ON ERROR) d, JSON_EXISTS(j, '$.d' TRUE ON ERROR) e, JSON_EXISTS(j, 'lax $' TRUE ON ERROR) f FROM js WHERE id <> 5;
