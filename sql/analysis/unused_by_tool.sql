-- Which tools bring back what nobody comes back to: results never used again, and what is carried after its last use.
-- reads: residency, items, archive
-- params: days integer null, top integer 50
-- grain: tool_name x tool_category
with stays as (
    select
        *,
        last_request_no - first_request_no + 1 as numbers,
        last_request_no - least(last_request_no, greatest(coalesce(last_used_request_no, 0), first_request_no - 1)) as numbers_after
    from residency
    where later_uses is not null
),
carried as (
    select
        session_id,
        item_id,
        max(later_uses) = 0 as is_unused,
        max(tokens_calibrated) as tokens,
        sum(token_requests) as token_requests,
        sum((token_requests * numbers_after / numbers)::bigint) as token_requests_after,
        sum(cost_usd) as cost_usd
    from stays
    group by session_id, item_id
)
select
    coalesce(items.tool_name, '(unnamed)') as tool_name,
    coalesce(items.tool_category, 'other') as tool_category,
    count(*) as results,
    count(*) filter (where is_unused) as results_never_used,
    round(count(*) filter (where is_unused) / count(*), 4) as share_never_used,
    sum(carried.tokens)::bigint as tokens,
    coalesce(sum(carried.tokens) filter (where is_unused), 0)::bigint as tokens_never_used,
    sum(token_requests)::bigint as token_requests,
    sum(token_requests_after)::bigint as token_requests_after_last_use,
    sum(cost_usd) filter (where is_unused) as cost_never_used_usd
from carried
join items using (item_id)
cross join archive
where items.kind = 'tool_result' and ($days::integer is null or items.day > newest_day - $days)
group by all
order by token_requests_after_last_use desc, tool_name, tool_category
limit $top
