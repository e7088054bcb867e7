-- One month of flights from a file into a topic, keyed by destination.
SET 'pipeline.name' = 'load-flights';
SET 'execution.checkpointing.interval' = '10 s';

CREATE TABLE file (
  sched_dep TIMESTAMP(3), dep TIMESTAMP(3), carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  dep_delay INT, arr_delay INT, air_time INT, distance INT
) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/flights-2013-01.jsonl.gz',
  'format' = 'json'
);

CREATE TABLE flights WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'raw',
  'key.fields' = 'dest',
  'value.format' = 'json',
  'sink.semantic' = 'exactly-once'
) LIKE file (EXCLUDING OPTIONS);

INSERT INTO flights SELECT * FROM file;
