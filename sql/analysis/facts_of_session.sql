-- What one session is: who worked where and when, its state, and what its calls came to.
-- reads: sessions, requests, placements, items, reconciliation
-- params: session text
-- grain: session
with calls as (
    select
        count(*) as requests,
        min("at") as first_call_at,
        max("at") as last_call_at,
        string_agg(distinct model, ', ' order by model) as models,
        sum(prompt_tokens)::bigint as prompt_tokens,
        max(prompt_tokens) filter (where not coalesce(list_contains(flags, 'sum_of_calls'), false)) as largest_prompt_tokens,
        sum(cache_read_tokens)::bigint as cache_read_tokens,
        sum(output_tokens)::bigint as output_tokens,
        count(*) filter (where output_origin = 'lower_bound') as requests_with_output_understated,
        case when count(output_tokens_estimated) > 0 then sum(coalesce(output_tokens_estimated, output_tokens))::bigint end
            as output_tokens_estimated,
        sum(cost_usd) as cost_usd,
        case when count(cost_usd_estimated) > 0 then sum(coalesce(cost_usd_estimated, cost_usd)) end as cost_usd_estimated,
        count(*) filter (where cost_origin = 'unpriced') as requests_unpriced,
        count(*) filter (where list_contains(flags, 'sum_of_calls')) as sums_of_calls,
        max(context_limit) as context_limit
    from requests
    where session_id = $session
),
content as (
    select
        count(*) as items,
        count(*) filter (where items.kind = 'user_text' and items.starts_turn) as prompts,
        sum(items.tokens)::bigint as content_tokens,
        left(first(items.text order by placements.position) filter (where items.kind = 'user_text' and items.starts_turn), 300)
            as first_prompt_start,
        left(first(items.text order by placements.position) filter (where items.kind = 'injected'), 300) as first_injected_start
    from placements
    join items using (item_id)
    where placements.session_id = $session
)
select
    sessions.session_id,
    sessions.agent,
    sessions.agent_version,
    sessions.project,
    sessions.cwd,
    sessions.git_branch,
    sessions.title,
    sessions.started_at,
    sessions.ended_at,
    sessions.state,
    sessions.relation,
    sessions.parent_session_id,
    coalesce(calls.context_limit, sessions.context_limit) as context_limit,
    calls.* exclude (context_limit),
    (select count(*) from reconciliation where session_id = $session) as requests_with_account,
    content.* exclude (first_injected_start),
    -- What its parent told it to do; in other sessions the program puts in reminders.
    case when sessions.relation = 'subagent' then content.first_injected_start end as task_start
from sessions
cross join calls
cross join content
where sessions.session_id = $session
