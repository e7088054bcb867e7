-- Flights and cancellations per airline, with its name from a CSV file.
SET 'pipeline.name' = 'airline-names';

CREATE TABLE flights (
  carrier STRING,
  dep     TIMESTAMP(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'flights',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset'
);

CREATE TABLE airlines (carrier STRING, name STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/airlines.csv',
  'format' = 'csv'
);

CREATE TABLE per_airline (
  name STRING, flights BIGINT, cancelled BIGINT,
  PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'per-airline',
  'properties.bootstrap.servers' = '${bootstrap}',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO per_airline
SELECT a.name, COUNT(*) AS flights, COUNT(*) FILTER (WHERE f.dep IS NULL) AS cancelled
FROM flights AS f
JOIN airlines AS a ON f.carrier = a.carrier
GROUP BY a.name;
