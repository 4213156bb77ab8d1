-- Which sessions the newest run that committed brought in or saw grow, those with the most prompt tokens first; sub-agents are left out.
-- reads: runs, sources, records, sessions, items, requests
-- params: top integer 10
-- grain: session; sessions_new and sessions_grown count all of them, whatever `top` leaves out
with newest as (
    select max(started_at) as started_at from runs
),
changed as (
    select records.session_id, bool_and(sources.first_seen_at >= newest.started_at) as is_new
    from sources
    cross join newest
    inner join records using (source_id, generation)
    group by records.session_id
    having max(sources.last_changed_at) >= any_value(newest.started_at)
),
calls as (
    select
        session_id,
        count(*) as requests,
        coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
        sum(cost_usd) as cost_usd,
        count(*) filter (where cost_origin = 'unpriced') as requests_unpriced
    from requests
    group by session_id
),
shown as (
    select
        session_id,
        sessions.agent,
        sessions.project,
        sessions.title,
        is_new,
        coalesce(requests, 0) as requests,
        coalesce(prompt_tokens, 0) as prompt_tokens,
        cost_usd,
        coalesce(requests_unpriced, 0) as requests_unpriced,
        count(*) filter (where is_new) over () as sessions_new,
        count(*) filter (where not is_new) over () as sessions_grown
    from changed
    inner join sessions using (session_id)
    left join calls using (session_id)
    where sessions.relation is distinct from 'subagent'
    order by coalesce(prompt_tokens, 0) desc, coalesce(requests, 0) desc, session_id
    limit $top
),
-- Only of those that are shown: all other texts stay unread.
first_prompts as (
    select session_id, left(first(text order by seq), 200) as first_prompt_start
    from items
    where kind = 'user_text' and starts_turn and session_id in (select session_id from shown)
    group by session_id
)
select
    session_id,
    agent,
    project,
    title,
    first_prompt_start,
    is_new,
    requests,
    prompt_tokens,
    cost_usd,
    requests_unpriced,
    sessions_new,
    sessions_grown
from shown
left join first_prompts using (session_id)
order by prompt_tokens desc, requests desc, session_id
