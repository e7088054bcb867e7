-- cumulating windows in a zone of half an hour
CREATE TABLE tzw (id INT, t TIMESTAMP(3), z TIMESTAMP_LTZ(3), WATERMARK FOR z AS z - INTERVAL '40' DAY(3)) WITH ('connector'='filesystem','path'='${DATA}/zones.jsonl','format'='json');
SET 'table.local-time-zone' = 'Asia/Kolkata';
SELECT window_start, window_end, COUNT(*) c FROM TABLE(CUMULATE(TABLE tzw, DESCRIPTOR(z), INTERVAL '6' HOUR, INTERVAL '1' DAY)) GROUP BY window_start, window_end;
