CREATE TABLE sink (auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING)
WITH ('connector' = 'kafka', 'topic' = '${query}', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json', 'sink.semantic' = 'exactly-once');

INSERT INTO sink SELECT auction, bidder, price, `dateTime`, extra FROM bid;
