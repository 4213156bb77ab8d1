-- Which session somebody means by an id, the beginning of one, or the path of a log.
-- reads: sessions, sources
-- params: wanted text, path text null
-- grain: session
select
    session_id,
    native_id,
    agent,
    title,
    started_at,
    session_id = $wanted or native_id = $wanted or session_id in (
        select agent || ':' || native_id from sources where path in ($wanted, $path)
    ) as is_exact
from sessions
where starts_with(session_id, $wanted) or starts_with(native_id, $wanted) or is_exact
order by is_exact desc, started_at desc nulls last, session_id
