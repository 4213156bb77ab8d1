-- Which results of a session were never used again while they stayed, the dearest first.
-- reads: residency, items, placements, sources
-- params: session text, top integer 20
-- grain: item
with stays as (
    select
        item_id,
        max(tokens_calibrated) as tokens,
        sum(requests)::bigint as requests,
        sum(token_requests)::bigint as token_requests,
        sum(cost_usd) as cost_usd
    from residency
    where session_id = $session
    group by item_id
    -- Where nobody looked for uses, later_uses is null and says nothing.
    having max(later_uses) = 0 and count(later_uses) = count(*)
)
select
    item_id,
    items.tool_name,
    items.path,
    left(items.text, 120) as text_start,
    placements.turn,
    stays.tokens,
    stays.requests,
    stays.token_requests,
    stays.cost_usd,
    sources.path as log_path,
    items.line_no
from stays
join items using (item_id)
left join placements on placements.session_id = $session and placements.item_id = stays.item_id
left join sources using (source_id, generation)
where items.kind = 'tool_result'
order by stays.cost_usd desc nulls last, stays.token_requests desc, item_id
limit $top
