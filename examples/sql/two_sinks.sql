-- Two INSERTs in one job: the source is read once.
SET 'pipeline.name' = 'two-sinks';

CREATE TABLE flights (
  sched_dep TIMESTAMP(3), dep TIMESTAMP(3), carrier STRING, flight INT, origin STRING, dest STRING, dep_delay INT, distance INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset'
);

CREATE TABLE cancelled (sched_dep TIMESTAMP(3), carrier STRING, flight INT, origin STRING, dest STRING) WITH (
  'connector' = 'kafka', 'topic' = 'cancelled', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json',
  'sink.semantic' = 'exactly-once'
);

CREATE TABLE long_delays (sched_dep TIMESTAMP(3), carrier STRING, flight INT, dep_delay INT, class STRING) WITH (
  'connector' = 'kafka', 'topic' = 'long-delays', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json',
  'sink.semantic' = 'exactly-once'
);

EXECUTE STATEMENT SET BEGIN
  INSERT INTO cancelled SELECT sched_dep, carrier, flight, origin, dest FROM flights WHERE dep IS NULL;
  INSERT INTO long_delays
    SELECT sched_dep, carrier, flight, dep_delay, CASE WHEN distance > 1500 THEN 'long haul' ELSE 'short haul' END
    FROM flights WHERE dep_delay > 120;
END;
