-- What a session was paid for: each kind of item for as long as it stayed, the overhead, the residual, the output.
-- reads: residency, items, reconciliation, requests
-- params: session text
-- grain: kind of item, overhead, residual, output or calls without an account
with stays as (
    select
        items.kind as part,
        count(distinct residency.item_id) as items,
        sum(residency.token_requests)::bigint as token_requests,
        sum(residency.cost_cache_read_usd) as cost_cache_read_usd,
        sum(residency.cost_cache_write_usd) as cost_cache_write_usd,
        sum(residency.cost_uncached_usd) as cost_uncached_usd,
        sum(residency.cost_usd) as cost_usd
    from residency
    join items using (item_id)
    where residency.session_id = $session
    group by items.kind
),
calls as (
    select
        requests.output_tokens,
        requests.cost_usd,
        reconciliation.overhead_tokens,
        reconciliation.residual_tokens,
        reconciliation.cost_overhead_usd,
        reconciliation.cost_residual_usd,
        reconciliation.cost_output_usd,
        reconciliation.request_id is not null as has_account
    from requests
    left join reconciliation using (session_id, request_id)
    where requests.session_id = $session
),
rest as (
    select
        'overhead' as part,
        sum(overhead_tokens)::bigint as token_requests,
        sum(cost_overhead_usd) as cost_usd
    from calls
    where has_account
    having count(*) > 0
    union all
    select 'residual', sum(residual_tokens)::bigint, sum(cost_residual_usd) from calls where has_account having count(*) > 0
    union all
    select 'output', sum(output_tokens)::bigint, sum(cost_output_usd) from calls where has_account having count(*) > 0
    union all
    select 'without_account', null, sum(cost_usd) from calls where not has_account having count(*) > 0
)
select
    part,
    items,
    token_requests,
    cost_cache_read_usd,
    cost_cache_write_usd,
    cost_uncached_usd,
    cost_usd,
    round((cost_usd / nullif(sum(cost_usd) over (), 0))::double, 4) as share_of_cost
from (select * from stays union all by name select * from rest) as parts
order by cost_usd desc nulls last, token_requests desc nulls last, part
