-- Which files took the content tokens: calls that name a file, together with their results.
-- reads: items, sessions, archive
-- params: days integer null, top integer 50
-- grain: project x path
with calls as (
    select items.session_id, items.call_id, items.path, items.tokens, items.tool_category
    from items, archive
    where
        items.kind = 'tool_call'
        and items.path is not null
        and ($days::integer is null or day > newest_day - $days)
),
results as (
    select session_id, call_id, sum(tokens) as tokens
    from items
    where kind = 'tool_result'
    group by all
)
select
    sessions.project,
    calls.path,
    count(*) as touches,
    count(*) filter (where calls.tool_category = 'edit') as edits,
    count(distinct calls.session_id) as sessions,
    (coalesce(sum(calls.tokens), 0) + coalesce(sum(results.tokens), 0))::bigint as content_tokens
from calls
left join results using (session_id, call_id)
left join sessions using (session_id)
group by all
order by content_tokens desc, project nulls last, path
limit $top
