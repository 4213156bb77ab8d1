-- What carrying calls and results cost by what the tools do: read, search, edit, shell, test, web, plan, subagent, mcp.
-- reads: sessions, archive, residency, items, requests
-- params: session text null, agent text null, project text null, since date null, days integer null
-- grain: tool_category
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
stays as (
    select
        item_id,
        sum(requests) as requests,
        sum(token_requests) as token_requests,
        sum(token_requests) filter (where cost_usd is null) as token_requests_unpriced,
        sum(cost_usd) as cost_usd
    from residency
    semi join chosen using (session_id)
    group by item_id
),
bill as (
    select sum(prompt_tokens) as prompt_tokens, sum(cost_usd) as cost_usd
    from requests
    semi join chosen using (session_id)
)
select
    coalesce(items.tool_category, 'other') as tool_category,
    count(*) filter (where items.kind = 'tool_call') as calls,
    coalesce(sum(items.tokens), 0)::bigint as content_tokens,
    round(sum(stays.requests) / count(*), 1) as mean_requests_held,
    sum(stays.token_requests)::bigint as token_requests,
    round(sum(stays.token_requests) / nullif(any_value(bill.prompt_tokens), 0), 4) as share_of_prompt_tokens,
    sum(stays.cost_usd) as cost_usd,
    round((sum(stays.cost_usd) / nullif(any_value(bill.cost_usd), 0))::double, 4) as share_of_cost,
    coalesce(sum(stays.token_requests_unpriced), 0)::bigint as token_requests_unpriced
from stays
inner join items using (item_id)
cross join bill
where items.kind in ('tool_call', 'tool_result')
group by 1
order by cost_usd desc nulls last, token_requests desc, tool_category
