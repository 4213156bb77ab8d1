-- Which log files hold some sessions, from which line to which, in the order in which a session went through them.
-- reads: items, sources
-- params: sessions text[]
-- grain: session x generation of a log file
select
    items.session_id,
    items.source_id,
    sources.path,
    sources.bytes,
    min(items.line_no) as first_line,
    max(items.line_no) as last_line
from items
join sources using (source_id, generation)
where list_contains($sessions, items.session_id)
group by items.session_id, sources.path, sources.bytes, items.source_id, items.generation
order by items.session_id, items.generation, min(items.seq), sources.path
