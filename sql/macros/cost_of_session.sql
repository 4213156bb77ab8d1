-- What a session cost: what each kind of item cost to carry, with overhead, residual and output; together what its calls cost.
-- reads: residency, items, requests, reconciliation
-- params: session text
-- grain: kind of item, or overhead, residual, output, no_window (calls that no window was rebuilt for)
with held as (
    select
        coalesce(items.kind, 'unknown') as kind,
        count(distinct residency.item_id) as items,
        sum(residency.token_requests) as token_requests,
        sum(residency.cost_usd) as cost_usd
    from residency
    left join items using (item_id)
    where residency.session_id = $session
    group by 1
),
calls as (
    select
        count(told.request_id) as told,
        sum(told.overhead_tokens) as overhead_tokens,
        sum(told.cost_overhead_usd) as cost_overhead_usd,
        sum(told.residual_tokens) as residual_tokens,
        sum(told.cost_residual_usd) as cost_residual_usd,
        sum(told.cost_output_usd) as cost_output_usd,
        count(*) filter (where told.request_id is null) as others,
        sum(requests.prompt_tokens) filter (where told.request_id is null) as other_tokens,
        sum(requests.cost_usd) filter (where told.request_id is null) as cost_other_usd
    from requests
    left join reconciliation as told using (session_id, request_id)
    where requests.session_id = $session
),
told as (
    from held
    union all by name
    select 'overhead' as kind, overhead_tokens as token_requests, cost_overhead_usd as cost_usd
    from calls
    where told > 0
    union all by name
    select 'residual' as kind, residual_tokens as token_requests, cost_residual_usd as cost_usd
    from calls
    where told > 0
    union all by name
    select 'output' as kind, cost_output_usd as cost_usd
    from calls
    where told > 0
    union all by name
    select 'no_window' as kind, other_tokens as token_requests, cost_other_usd as cost_usd
    from calls
    where others > 0
)
select
    kind,
    items,
    token_requests::bigint as token_requests,
    round(token_requests / nullif(sum(token_requests) over (), 0), 4) as share_of_prompt_tokens,
    cost_usd,
    round((cost_usd / nullif(sum(cost_usd) over (), 0))::double, 4) as share_of_cost
from told
order by cost_usd desc nulls last, token_requests desc nulls last, kind
