-- letters whose other case is several letters; the final sigma
SELECT s, UPPER(s) a, LOWER(s) b, INITCAP(s) c FROM (VALUES ('straße'),('ﬁn'),('İstanbul'),('ΣΑΣ'),('ΟΔΟΣ'),('ŉ'),('ǆ'),('ÿ'),('ı'),('µ'),('ΐ'),('ﬃ')) AS t(s);
