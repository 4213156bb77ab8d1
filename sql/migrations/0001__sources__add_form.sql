-- Sources say what form of log they are; until then every log that was read had its records in lines.
-- reads: old
-- params: none
-- grain: row of version 1
select *, 'lines' as form from old
