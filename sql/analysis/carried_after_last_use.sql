-- What was carried before and after its last use: what leaving each thing out in time, with hindsight, would have saved.
-- reads: residency, items, archive
-- params: days integer null
-- grain: kind x tool_category
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
        items.kind,
        case when items.kind in ('tool_call', 'tool_result') then coalesce(items.tool_category, 'other') end as tool_category,
        stays.later_uses,
        stays.token_requests,
        (stays.token_requests * numbers_after / numbers)::bigint as token_requests_after,
        stays.cost_usd
    from stays
    join items using (item_id)
    cross join archive
    where $days::integer is null or items.day > newest_day - $days
)
select
    kind,
    tool_category,
    count(*) as stays,
    sum(token_requests)::bigint as token_requests,
    (sum(token_requests) - sum(token_requests_after))::bigint as token_requests_until_last_use,
    sum(token_requests_after)::bigint as token_requests_after_last_use,
    coalesce(sum(token_requests) filter (where later_uses = 0), 0)::bigint as token_requests_never_used,
    round(sum(token_requests_after) / nullif(sum(token_requests), 0), 4) as share_after_last_use,
    sum(cost_usd) filter (where later_uses = 0) as cost_never_used_usd
from carried
group by kind, tool_category
order by token_requests_after_last_use desc, kind, tool_category nulls last
