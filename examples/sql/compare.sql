-- The job of 'sqlstream compare': every flight is copied, under each guarantee.
-- The variables sink and key are set by the command: connector and guarantee, and for
-- upsert-kafka the primary key. read_at says when a row was read, to measure
-- how long it takes to become visible; it is left out of the comparison.
SET 'pipeline.name' = 'compare';
SET 'execution.checkpointing.interval' = '500 ms';

CREATE TABLE flights (
  sched_dep TIMESTAMP(3), carrier STRING, flight INT, origin STRING, dest STRING, dep_delay INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset',
  'scan.rate-limit' = '${rate}'
);

CREATE TABLE copy (
  id STRING NOT NULL, dest STRING, dep_delay INT, read_at TIMESTAMP(3)${key}
) WITH (
  ${sink},
  'topic' = '${topic}',
  'properties.bootstrap.servers' = '${bootstrap}',
  'properties.linger.ms' = '400'
);

INSERT INTO copy
SELECT CONCAT_WS('-', carrier, CAST(flight AS STRING), origin, CAST(sched_dep AS STRING)), dest, dep_delay,
       CAST(CURRENT_ROW_TIMESTAMP() AS TIMESTAMP(3))
FROM flights;
