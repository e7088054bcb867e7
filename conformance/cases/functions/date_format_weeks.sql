-- DATE_FORMAT with week-based years, weeks, quarters and days of the week
CREATE TABLE tz (id INT, t TIMESTAMP(3), z TIMESTAMP_LTZ(3)) WITH ('connector'='filesystem','path'='${DATA}/zones.jsonl','format'='json');
SELECT id, DATE_FORMAT(t, 'YYYY-MM-dd') a, DATE_FORMAT(t, 'YYYY-ww') b, DATE_FORMAT(t, 'Q') c, DATE_FORMAT(t, 'QQQ QQ') d, DATE_FORMAT(t, 'e') e, DATE_FORMAT(t, 'w') f, DATE_FORMAT(t, 'YY') h FROM tz;
