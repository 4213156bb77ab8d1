-- Every byte and line of a log is in rows, rejected, blank or pending; copies and files nobody could read have no rows.
-- reads: sources
-- params: none
-- grain: generation of a log file that offends
with books as (
    select
        source_id,
        generation,
        path,
        bytes,
        lines,
        coalesce(bytes_in_rows, 0) + coalesce(bytes_rejected, 0) + coalesce(bytes_blank, 0) + coalesce(bytes_pending, 0)
            as bytes_accounted,
        coalesce(lines_in_rows, 0) + coalesce(lines_rejected, 0) + coalesce(lines_blank, 0) + coalesce(lines_pending, 0)
            as lines_accounted
    from sources
    where state not in ('copy', 'unreadable', 'unclaimed')
)
select source_id, generation, path, bytes, bytes_accounted, lines, lines_accounted
from books
where bytes is distinct from bytes_accounted or lines is distinct from lines_accounted
order by path, source_id, generation
