-- Which agent version brought which new shape (set of keys) of a record, on which day, and how much of it there is?
-- reads: records, sources, sessions
-- params: agent text null
-- grain: agent x type x shape
-- A record has no time of its own here: its day is the one on which its session began, else the log's own. `shape_no` counts
-- the shapes of a type as they came; the first is where it began, all others are drift. Newest drift first.
with seen as (
    select
        sources.agent,
        records.type,
        records.shape,
        records.agent_version,
        records.session_id,
        records.source_id,
        list_contains(records.flags, 'unknown_type') as is_unknown_type,
        list_contains(records.flags, 'usage_uncounted') as is_uncounted,
        coalesce(sessions.started_at, sources.mtime, sources.first_seen_at) as seen_at,
        row_number() over (
            order by coalesce(sessions.started_at, sources.mtime, sources.first_seen_at) nulls last,
            records.source_id, records.generation, records.line_no, records.byte_offset
        ) as seen_no
    from records
    left join sources using (source_id, generation)
    left join sessions on sessions.session_id = records.session_id
    where $agent::varchar is null or sources.agent = $agent
)
select
    agent,
    type,
    shape,
    row_number() over (partition by agent, type order by min(seen_no)) as shape_no,
    first(agent_version order by seen_no) filter (where agent_version is not null) as first_version,
    min(seen_at)::date as first_day,
    max(seen_at)::date as last_day,
    count(*) as records,
    count(distinct session_id) as sessions,
    count(distinct source_id) as sources,
    coalesce(bool_or(is_unknown_type), false) as is_unknown_type,
    count(*) filter (where is_uncounted) as records_with_uncounted_tokens
from seen
group by agent, type, shape
order by first_day desc nulls last, agent, type, shape_no
