-- Which single things were the most expensive to carry: their tokens in every prompt that held them, with the log line of each.
-- reads: sessions, archive, residency, items, requests, sources
-- params: session text null, agent text null, project text null, since date null, days integer null, top integer 20
-- grain: item
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
        min(first_request_no) as first_request_no,
        max(last_request_no) as last_request_no,
        sum(requests) as requests,
        max(tokens_calibrated) as tokens_calibrated,
        sum(token_requests) as token_requests,
        sum(cost_usd) as cost_usd
    from residency
    semi join chosen using (session_id)
    group by item_id
),
bill as (
    select sum(prompt_tokens) as prompt_tokens, sum(cost_usd) as cost_usd
    from requests
    semi join chosen using (session_id)
),
top as (
    from stays
    order by cost_usd desc nulls last, token_requests desc, item_id
    limit $top
)
select
    top.item_id,
    items.session_id,
    sessions.project,
    items.turn,
    items.kind,
    items.tool_name,
    items.path,
    items.tokens as content_tokens,
    top.tokens_calibrated,
    top.first_request_no,
    top.last_request_no,
    top.requests::bigint as requests_held,
    top.token_requests::bigint as token_requests,
    round(top.token_requests / nullif(bill.prompt_tokens, 0), 4) as share_of_prompt_tokens,
    top.cost_usd,
    round((top.cost_usd / nullif(bill.cost_usd, 0))::double, 4) as share_of_cost,
    sources.path as log_path,
    items.line_no
from top
inner join items using (item_id)
left join sessions on sessions.session_id = items.session_id
left join sources on sources.source_id = items.source_id and sources.generation = items.generation
cross join bill
order by top.cost_usd desc nulls last, top.token_requests desc, top.item_id
