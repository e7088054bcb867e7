-- The last known departure delay of each aircraft: a table that is kept up to
-- date in a compacted topic (upsert-kafka).
SET 'pipeline.name' = 'last-delay';

CREATE TABLE flights (
  sched_dep TIMESTAMP(3),
  tailnum   STRING,
  flight    INT,
  dep_delay INT,
  WATERMARK FOR sched_dep AS sched_dep - INTERVAL '24' HOUR
) WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset'
);

CREATE TABLE last_delay (
  tailnum   STRING,
  sched_dep TIMESTAMP(3),
  flight    INT,
  dep_delay INT,
  PRIMARY KEY (tailnum) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'last-delay',
  'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'raw',
  'value.format' = 'json',
  'sink.semantic' = 'exactly-once'
);

INSERT INTO last_delay
SELECT tailnum, sched_dep, flight, dep_delay
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY tailnum ORDER BY sched_dep DESC) AS n
  FROM flights
  WHERE tailnum IS NOT NULL AND dep_delay IS NOT NULL
)
WHERE n = 1;
