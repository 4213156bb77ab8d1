-- Which sessions one session comes from, and which come from it: sub-agents, forks, continuations, with what their calls took.
-- reads: sessions, requests
-- params: session text
-- grain: session tied to the one asked for
with relatives as (
    select parents.session_id, 'parent' as is_its, own.relation
    from sessions as own
    join sessions as parents on parents.session_id = own.parent_session_id
    where own.session_id = $session
    union all
    select session_id, 'child' as is_its, relation
    from sessions
    where parent_session_id = $session
),
usage as (
    select
        session_id,
        count(*) as requests,
        sum(prompt_tokens)::bigint as prompt_tokens,
        sum(cost_usd) as cost_usd,
        count(*) filter (where cost_origin = 'unpriced') as requests_unpriced
    from requests
    where session_id in (select session_id from relatives)
    group by session_id
)
select
    session_id,
    relatives.is_its,
    relatives.relation,
    sessions.title,
    sessions.started_at,
    coalesce(usage.requests, 0) as requests,
    usage.prompt_tokens,
    usage.cost_usd,
    coalesce(usage.requests_unpriced, 0) as requests_unpriced
from relatives
join sessions using (session_id)
left join usage using (session_id)
order by is_its desc, sessions.started_at nulls last, session_id
