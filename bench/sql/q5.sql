CREATE TABLE sink (auction BIGINT, num BIGINT)
WITH ('connector' = 'kafka', 'topic' = '${query}', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json', 'sink.semantic' = 'exactly-once');

CREATE VIEW cnt AS
SELECT auction, COUNT(*) AS num, window_start, window_end
FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
GROUP BY auction, window_start, window_end;

INSERT INTO sink
SELECT c.auction, c.num
FROM cnt AS c
JOIN (SELECT MAX(num) AS maxn, window_start, window_end FROM cnt GROUP BY window_start, window_end) AS m
ON c.window_start = m.window_start AND c.window_end = m.window_end AND c.num >= m.maxn;
