-- Which single items of a session cost the most over all calls that they stayed for, with the log line that holds each.
-- reads: residency, items, placements, sources
-- params: session text, top integer 20
-- grain: item
with stays as (
    select
        item_id,
        max(tokens_calibrated) as tokens,
        sum(requests)::bigint as requests,
        min(first_request_no) as first_request_no,
        max(last_request_no) as last_request_no,
        sum(token_requests)::bigint as token_requests,
        sum(cost_usd) as cost_usd,
        -- Every stay in a chain tells all uses in it.
        case
            when count(later_uses) > 0 then
                coalesce(max(later_uses) filter (where not is_sidechain), 0)
                + coalesce(max(later_uses) filter (where is_sidechain), 0)
        end as later_uses,
        max(last_used_request_no) as last_used_request_no
    from residency
    where session_id = $session
    group by item_id
    order by cost_usd desc nulls last, token_requests desc, item_id
    limit $top
)
select
    item_id,
    items.kind,
    items.tool_name,
    items.path,
    left(items.text, 120) as text_start,
    placements.turn,
    stays.tokens,
    stays.requests,
    stays.first_request_no,
    stays.last_request_no,
    stays.token_requests,
    stays.cost_usd,
    stays.later_uses,
    stays.last_used_request_no,
    sources.path as log_path,
    items.line_no
from stays
join items using (item_id)
left join placements on placements.session_id = $session and placements.item_id = stays.item_id
left join sources using (source_id, generation)
order by stays.cost_usd desc nulls last, stays.token_requests desc, item_id
