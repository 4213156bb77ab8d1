-- Which kept logs tell a session: the one that is named by it first, then by how much of it they tell; the newest version of each.
-- reads: sources, sessions, items
-- params: session text, path text null
-- grain: log
with told as (
    select source_id, count(*) as items
    from items
    where session_id = $session
    group by source_id
)
select
    sources.source_id,
    sources.generation,
    sources.agent,
    sources.form,
    sources.path,
    sources.raw_bytes,
    sources.committed_bytes
from sources
join sessions on sessions.session_id = $session
left join told using (source_id)
where
    sources.raw_bytes > 0
    and (told.items > 0 or (sources.agent = sessions.agent and sources.native_id = sessions.native_id))
qualify row_number() over (partition by sources.source_id order by sources.generation desc, sources.path) = 1
order by
    sources.path is not distinct from $path desc,
    sources.agent = sessions.agent and sources.native_id = sessions.native_id desc,
    told.items desc nulls last,
    sources.committed_bytes desc,
    sources.source_id
