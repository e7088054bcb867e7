-- The three busiest routes of each hour (Top-N per window).
SET 'pipeline.name' = 'top-routes';

CREATE TABLE flights (
  sched_dep TIMESTAMP(3),
  origin    STRING,
  dest      STRING,
  WATERMARK FOR sched_dep AS sched_dep - INTERVAL '24' HOUR
) WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset'
);

CREATE TABLE top_routes (
  window_start TIMESTAMP(3), place BIGINT, origin STRING, dest STRING, flights BIGINT
) WITH (
  'connector' = 'kafka',
  'topic' = 'top-routes',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'sink.semantic' = 'exactly-once'
);

INSERT INTO top_routes
SELECT window_start, place, origin, dest, flights
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY flights DESC, origin, dest) AS place
  FROM (
    SELECT window_start, window_end, origin, dest, COUNT(*) AS flights
    FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(sched_dep), INTERVAL '1' HOUR))
    GROUP BY window_start, window_end, origin, dest
  )
)
WHERE place <= 3;
