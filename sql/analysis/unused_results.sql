-- Which results of tools nobody came back to: no later call named what they showed, and yet they were carried.
-- reads: residency, items
-- params: session text null, top integer 20
-- grain: session x item
with carried as (
    select
        session_id,
        item_id,
        max(tokens_calibrated) as tokens,
        sum(requests)::bigint as requests_carried,
        sum(token_requests)::bigint as token_requests,
        sum(cost_usd) as cost_usd
    from residency
    where $session::text is null or session_id = $session
    group by session_id, item_id
    -- Where nobody looked for uses, later_uses is null and says nothing.
    having max(later_uses) = 0 and count(later_uses) = count(*)
)
select
    carried.session_id,
    carried.item_id,
    items.turn,
    items.tool_name,
    items.path,
    carried.tokens,
    carried.requests_carried,
    carried.token_requests,
    carried.cost_usd
from carried
join items using (item_id)
where items.kind = 'tool_result'
order by carried.token_requests desc, carried.session_id, carried.item_id
limit $top
