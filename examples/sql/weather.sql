-- Weather observations from CSV: empty fields are NULL; the header line cannot
-- be read as a record and is skipped.
SET 'pipeline.name' = 'weather';

CREATE TABLE weather (
  origin STRING, time_hour TIMESTAMP(3), temp DOUBLE, dewp DOUBLE, humid DOUBLE, wind_dir DOUBLE, wind_speed DOUBLE,
  precip DOUBLE, visib DOUBLE,
  WATERMARK FOR time_hour AS time_hour - INTERVAL '30' DAY
) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/weather-2013-01.csv',
  'format' = 'csv',
  'csv.null-literal' = '',
  'on-error' = 'skip'
);

CREATE TABLE daily_weather (
  origin STRING, `day` DATE, observations BIGINT, coldest DOUBLE, warmest DOUBLE, rain DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'daily-weather',
  'properties.bootstrap.servers' = '${bootstrap}',
  'format' = 'json',
  'sink.semantic' = 'exactly-once'
);

INSERT INTO daily_weather
SELECT origin, CAST(window_start AS DATE), COUNT(*), MIN(temp), MAX(temp), SUM(precip)
FROM TABLE(TUMBLE(TABLE weather, DESCRIPTOR(time_hour), INTERVAL '1' DAY))
GROUP BY window_start, window_end, origin;
