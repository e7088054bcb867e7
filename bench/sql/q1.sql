CREATE TABLE sink (auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), `dateTime` TIMESTAMP(3), extra STRING)
WITH ('connector' = 'kafka', 'topic' = '${query}', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json', 'sink.semantic' = 'exactly-once');

INSERT INTO sink SELECT auction, bidder, CAST(0.908 * price AS DECIMAL(23, 3)) AS price, `dateTime`, extra FROM bid;
