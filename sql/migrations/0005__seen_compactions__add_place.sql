-- Rows say where in their session they happened, where lines do not; until then the line said it in every log.
-- reads: old
-- params: none
-- grain: row of version 1
select *, 0 as place from old
