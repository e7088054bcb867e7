-- The same rows under each guarantee, side by side: one option apart.
SET 'pipeline.name' = 'passthrough';
SET 'execution.checkpointing.interval' = '500 ms';

CREATE TABLE flights (
  sched_dep TIMESTAMP(3), dep TIMESTAMP(3), carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  dep_delay INT, arr_delay INT, air_time INT, distance INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset'
);

CREATE TABLE copy_none WITH (
  'connector' = 'kafka', 'topic' = 'copy-none', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json',
  'sink.semantic' = 'none'
) LIKE flights (EXCLUDING OPTIONS);

CREATE TABLE copy_at_least_once WITH (
  'connector' = 'kafka', 'topic' = 'copy-at-least-once', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json',
  'sink.semantic' = 'at-least-once'
) LIKE flights (EXCLUDING OPTIONS);

CREATE TABLE copy_exactly_once WITH (
  'connector' = 'kafka', 'topic' = 'copy-exactly-once', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json',
  'sink.semantic' = 'exactly-once'
) LIKE flights (EXCLUDING OPTIONS);

EXECUTE STATEMENT SET BEGIN
  INSERT INTO copy_none SELECT * FROM flights;
  INSERT INTO copy_at_least_once SELECT * FROM flights;
  INSERT INTO copy_exactly_once SELECT * FROM flights;
END;
