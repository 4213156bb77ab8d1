-- How far the prompts of each agent are accounted for: explained by items, overhead, the rest, and calls without an account.
-- reads: sessions, requests, reconciliation
-- params: none
-- grain: agent
with by_session as (
    select
        session_id,
        count(*) as calls,
        sum(requests.prompt_tokens) as prompt_tokens,
        count(reconciliation.request_id) as calls_accounted,
        sum(reconciliation.explained_tokens) as explained_tokens,
        sum(reconciliation.overhead_tokens) as overhead_tokens,
        sum(reconciliation.residual_tokens) as residual_tokens,
        sum(abs(reconciliation.residual_tokens)) as residual_either_way,
        sum(reconciliation.prompt_tokens) as accounted_tokens
    from requests
    left join reconciliation using (session_id, request_id)
    group by session_id
)
select
    sessions.agent,
    count(*) as sessions,
    count(calls) as sessions_with_calls,
    count(*) filter (where calls_accounted > 0) as sessions_accounted,
    coalesce(sum(calls), 0)::bigint as requests,
    coalesce(sum(calls_accounted), 0)::bigint as requests_accounted,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(explained_tokens), 0)::bigint as explained_tokens,
    coalesce(sum(overhead_tokens), 0)::bigint as overhead_tokens,
    coalesce(sum(residual_tokens), 0)::bigint as residual_tokens,
    (coalesce(sum(prompt_tokens), 0) - coalesce(sum(accounted_tokens), 0))::bigint as unaccounted_tokens,
    round(sum(residual_either_way) / nullif(sum(accounted_tokens), 0), 6) as residual_share
from sessions
left join by_session using (session_id)
group by sessions.agent
order by prompt_tokens desc, sessions desc, agent
