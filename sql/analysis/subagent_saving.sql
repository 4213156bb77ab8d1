-- What sub-agents took in windows of their own, what their results brought to the parent, and an estimate of what that
-- avoided.
-- reads: sessions, archive, requests, reconciliation, items, residency
-- params: session text null, agent text null, project text null, since date null, days integer null, top integer 50
-- grain: parent session
-- An ESTIMATE: had the parent done the work itself, each of the sub-agent's calls had carried the parent's prompt (as it was
-- at the call that gave the task) beside the sub-agent's own items, and these had stayed as long as the result did. So, for
-- each one, token_requests_avoided = requests x parent's prompt + explained tokens + (tokens of its items - of the result) x
-- calls that held the result - prompt_tokens. Negative: the sub-agent cost more than it saved. Sub-agents whose task is not
-- known are not in it.
with chosen as (
    select session_id
    from sessions
    cross join archive
    where
        ($session::varchar is null or session_id = $session)
        and ($agent::varchar is null or agent = $agent)
        and ($project::varchar is null or project = $project)
        and ($since::date is null or ended_at >= $since)
        and ($days::integer is null or cast(ended_at as date) > newest_day - $days)
),
children as (
    select sessions.session_id, sessions.parent_session_id, sessions.parent_item_id
    from sessions
    inner join chosen on chosen.session_id = sessions.parent_session_id
    where sessions.relation = 'subagent'
),
own as (
    select
        requests.session_id,
        count(*) as requests,
        sum(requests.prompt_tokens) as prompt_tokens,
        sum(requests.output_tokens) as output_tokens,
        sum(requests.cost_usd) as cost_usd,
        sum(explained_tokens) as explained_tokens
    from requests
    semi join children using (session_id)
    left join reconciliation as told using (session_id, request_id)
    group by requests.session_id
),
largest as (
    select session_id, item_id, max(tokens_calibrated) as tokens
    from residency
    semi join children using (session_id)
    group by session_id, item_id
),
windows as (
    select session_id, sum(tokens) as tokens
    from largest
    group by session_id
),
tasks as (
    select children.session_id, tasks.session_id as parent_session_id, tasks.call_id, requests.prompt_tokens
    from children
    inner join items as tasks on tasks.item_id = children.parent_item_id
    inner join requests on requests.session_id = tasks.session_id and requests.request_id = tasks.request_id
),
results as (
    select
        tasks.session_id,
        sum(residency.requests) / count(distinct residency.item_id) as requests,
        sum(residency.token_requests) as token_requests,
        sum(residency.cost_usd) as cost_usd
    from tasks
    inner join items
        on items.session_id = tasks.parent_session_id and items.call_id = tasks.call_id and items.kind = 'tool_result'
    inner join residency on residency.session_id = items.session_id and residency.item_id = items.item_id
    group by tasks.session_id
),
told as (
    select
        children.parent_session_id,
        own.requests,
        own.prompt_tokens,
        own.output_tokens,
        own.cost_usd,
        windows.tokens as content_tokens,
        results.requests as result_requests,
        results.token_requests as result_token_requests,
        results.cost_usd as result_cost_usd,
        own.requests * tasks.prompt_tokens + own.explained_tokens
        + coalesce(windows.tokens * results.requests - results.token_requests, 0) - own.prompt_tokens as avoided
    from children
    left join own using (session_id)
    left join windows using (session_id)
    left join tasks using (session_id)
    left join results using (session_id)
)
select
    told.parent_session_id as session_id,
    sessions.project,
    count(*) as subagents,
    count(avoided) as subagents_estimated,
    coalesce(sum(requests), 0)::bigint as subagent_requests,
    coalesce(sum(prompt_tokens), 0)::bigint as subagent_prompt_tokens,
    coalesce(sum(output_tokens), 0)::bigint as subagent_output_tokens,
    sum(cost_usd) as subagent_cost_usd,
    coalesce(sum(told.content_tokens), 0)::bigint as subagent_window_tokens,
    coalesce(sum(result_token_requests), 0)::bigint as result_token_requests,
    sum(result_cost_usd) as result_cost_usd,
    round(avg(result_requests), 1) as mean_requests_result_held,
    sum(avoided)::bigint as token_requests_avoided
from told
left join sessions on sessions.session_id = told.parent_session_id
group by told.parent_session_id, sessions.project
order by token_requests_avoided desc nulls last, subagent_prompt_tokens desc, told.parent_session_id
limit $top
