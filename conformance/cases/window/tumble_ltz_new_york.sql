-- days of a zone with daylight saving time
CREATE TABLE tzw (id INT, t TIMESTAMP(3), z TIMESTAMP_LTZ(3), WATERMARK FOR z AS z - INTERVAL '40' DAY(3)) WITH ('connector'='filesystem','path'='${DATA}/zones.jsonl','format'='json');
SET 'table.local-time-zone' = 'America/New_York';
SELECT window_start, window_end, window_time, COUNT(*) c FROM TABLE(TUMBLE(TABLE tzw, DESCRIPTOR(z), INTERVAL '1' DAY)) GROUP BY window_start, window_end, window_time;
