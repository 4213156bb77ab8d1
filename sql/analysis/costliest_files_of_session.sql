-- Which files cost a session the most: calls that name them and their results, over all calls that they stayed for.
-- reads: residency, items
-- params: session text, top integer 20
-- grain: path
with stays as (
    select
        item_id,
        max(tokens_calibrated) as tokens,
        sum(token_requests)::bigint as token_requests,
        sum(cost_usd) as cost_usd
    from residency
    where session_id = $session
    group by item_id
)
select
    items.path,
    count(*) filter (where items.kind = 'tool_call') as calls,
    count(*) filter (where items.kind = 'tool_call' and items.tool_category = 'edit') as edits,
    sum(stays.tokens)::bigint as tokens,
    sum(stays.token_requests)::bigint as token_requests,
    sum(stays.cost_usd) as cost_usd
from stays
join items using (item_id)
where items.path is not null
group by items.path
order by cost_usd desc nulls last, token_requests desc, items.path
limit $top
