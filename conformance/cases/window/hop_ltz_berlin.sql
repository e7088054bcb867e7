-- hopping windows over the change of the clock
CREATE TABLE tzw (id INT, t TIMESTAMP(3), z TIMESTAMP_LTZ(3), WATERMARK FOR z AS z - INTERVAL '40' DAY(3)) WITH ('connector'='filesystem','path'='${DATA}/zones.jsonl','format'='json');
SET 'table.local-time-zone' = 'Europe/Berlin';
SELECT window_start, window_end, COUNT(*) c, MIN(z) m FROM TABLE(HOP(TABLE tzw, DESCRIPTOR(z), INTERVAL '1' HOUR, INTERVAL '3' HOUR)) GROUP BY window_start, window_end;
