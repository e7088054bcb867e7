-- Delays and cancellations per origin airport and hour of scheduled departure.
-- The flights come in the order in which they left, so by scheduled time the
-- stream is really out of order: by up to 1,300 minutes in this month. A delay
-- of 24 hours keeps every row.
SET 'pipeline.name' = 'delays';
SET 'execution.checkpointing.interval' = '500 ms';

CREATE TABLE flights (
  sched_dep TIMESTAMP(3),
  dep       TIMESTAMP(3),
  origin    STRING,
  dest      STRING,
  dep_delay INT,
  WATERMARK FOR sched_dep AS sched_dep - INTERVAL '24' HOUR
) WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset',
  'scan.rate-limit' = '${rate}'
);

CREATE TABLE delays (
  origin       STRING,
  window_start TIMESTAMP(3),
  flights      BIGINT,
  cancelled    BIGINT,
  delayed      BIGINT,
  avg_delay    INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'delays',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'sink.semantic' = 'exactly-once'
);

INSERT INTO delays
SELECT origin, window_start,
       COUNT(*) AS flights,
       COUNT(*) FILTER (WHERE dep IS NULL) AS cancelled,
       COUNT(*) FILTER (WHERE dep_delay > 15) AS `delayed`,
       AVG(dep_delay) AS avg_delay
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(sched_dep), INTERVAL '1' HOUR))
GROUP BY origin, window_start, window_end;
