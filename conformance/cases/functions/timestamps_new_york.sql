-- conversions in a zone with daylight saving time; UNIX_TIMESTAMP of an hour that occurs twice
CREATE TABLE tz (id INT, t TIMESTAMP(3), z TIMESTAMP_LTZ(3)) WITH ('connector'='filesystem','path'='${DATA}/zones.jsonl','format'='json');
SET 'table.local-time-zone' = 'America/New_York';
SELECT id, CAST(t AS TIMESTAMP_LTZ(3)) a, CAST(z AS TIMESTAMP(3)) b, CAST(z AS STRING) c, CAST(t AS STRING) d, CAST(z AS DATE) e, CAST(z AS TIME) f, DATE_FORMAT(z, 'yyyy-MM-dd HH:mm') g, EXTRACT(HOUR FROM z) h, t = z i, UNIX_TIMESTAMP(CAST(t AS STRING)) k, FROM_UNIXTIME(1710054000 + id * 3600) l, TO_TIMESTAMP_LTZ(1710054000000, 3) m FROM tz;
