-- Which session somebody means by an id, the beginning of one, or the path of a log or of a file in it.
-- reads: sessions, sources, items
-- params: wanted text, path text null
-- grain: session
with logs as (
    select agent || ':' || native_id as session_id, source_id, generation
    from sources
    where
        path in ($wanted, $path)
        or (form = 'folder' and starts_with(coalesce($path, $wanted), path || '/'))
        or starts_with(path, coalesce($path, $wanted) || '!')
),
named as (
    select session_id from logs inner join sessions using (session_id)
),
-- A database, a chat history or an archive names none of the sessions in it.
told as (
    select distinct items.session_id from items inner join logs using (source_id, generation)
)
select
    session_id,
    native_id,
    agent,
    title,
    started_at,
    session_id = $wanted or native_id = $wanted or session_id in (from named)
    or (session_id in (from told) and not exists (from named)) as is_exact
from sessions
where starts_with(session_id, $wanted) or starts_with(native_id, $wanted) or is_exact
order by is_exact desc, started_at desc nulls last, session_id
