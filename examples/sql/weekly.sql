-- Flights and mean delay per airport and week, from a file: no broker needed.
CREATE TABLE flights (
  sched_dep TIMESTAMP(3),
  dep       TIMESTAMP(3),
  origin    STRING,
  dep_delay INT,
  WATERMARK FOR sched_dep AS sched_dep - INTERVAL '24' HOUR
) WITH (
  'connector' = 'filesystem',
  'path' = 'examples/data/flights-2013-01.jsonl.gz',
  'format' = 'json'
);

SELECT CAST(window_start AS DATE) AS week, origin,
       COUNT(*) AS flights,
       COUNT(*) FILTER (WHERE dep IS NULL) AS cancelled,
       AVG(dep_delay) AS avg_delay
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(sched_dep), INTERVAL '7' DAY))
GROUP BY window_start, window_end, origin;
