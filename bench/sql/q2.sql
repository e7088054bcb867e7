CREATE TABLE sink (auction BIGINT, price BIGINT)
WITH ('connector' = 'kafka', 'topic' = '${query}', 'properties.bootstrap.servers' = '${bootstrap}', 'format' = 'json', 'sink.semantic' = 'exactly-once');

INSERT INTO sink SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0;
