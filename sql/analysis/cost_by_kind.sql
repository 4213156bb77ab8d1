-- What carrying each kind of item cost, in prompt tokens and dollars; with overhead, residual and output it is the whole bill.
-- reads: sessions, archive, residency, items, requests, reconciliation
-- params: session text null, agent text null, project text null, since date null, days integer null
-- grain: kind of item, or overhead, residual, output, no_window (calls that no window was rebuilt for)
-- Sessions are chosen whole, by their last day, so that the rows sum to what their calls cost. `content_tokens` counts an item
-- once, `token_requests` once for each call whose prompt held it.
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
        sum(cost_usd) as cost_usd,
        sum(cost_cache_read_usd) as cost_cache_read_usd,
        sum(cost_cache_write_usd) as cost_cache_write_usd,
        sum(cost_uncached_usd) as cost_uncached_usd
    from residency
    semi join chosen using (session_id)
    group by item_id
),
held as (
    select
        coalesce(items.kind, 'unknown') as kind,
        count(*) as items,
        sum(items.tokens) as content_tokens,
        sum(stays.requests) as requests,
        sum(stays.token_requests) as token_requests,
        sum(stays.token_requests_unpriced) as token_requests_unpriced,
        sum(stays.cost_usd) as cost_usd,
        sum(stays.cost_cache_read_usd) as cost_cache_read_usd,
        sum(stays.cost_cache_write_usd) as cost_cache_write_usd,
        sum(stays.cost_uncached_usd) as cost_uncached_usd
    from stays
    left join items using (item_id)
    group by all
),
calls as (
    select
        count(told.request_id) as told,
        sum(overhead_tokens) as overhead_tokens,
        sum(overhead_tokens) filter (where cost_overhead_usd is null) as overhead_unpriced,
        sum(cost_overhead_usd) as cost_overhead_usd,
        sum(residual_tokens) as residual_tokens,
        sum(residual_tokens) filter (where cost_residual_usd is null) as residual_unpriced,
        sum(cost_residual_usd) as cost_residual_usd,
        sum(cost_output_usd) as cost_output_usd,
        count(*) filter (where told.request_id is null) as others,
        sum(requests.prompt_tokens) filter (where told.request_id is null) as other_tokens,
        sum(requests.prompt_tokens) filter (where told.request_id is null and requests.cost_usd is null) as other_unpriced,
        sum(requests.cost_usd) filter (where told.request_id is null) as cost_other_usd
    from requests
    semi join chosen using (session_id)
    left join reconciliation as told using (session_id, request_id)
),
told as (
    from held
    union all by name
    select
        'overhead' as kind, overhead_tokens as token_requests, overhead_unpriced as token_requests_unpriced,
        cost_overhead_usd as cost_usd
    from calls
    where told > 0
    union all by name
    select
        'residual' as kind, residual_tokens as token_requests, residual_unpriced as token_requests_unpriced,
        cost_residual_usd as cost_usd
    from calls
    where told > 0
    union all by name
    select 'output' as kind, cost_output_usd as cost_usd
    from calls
    where told > 0
    union all by name
    select
        'no_window' as kind, other_tokens as token_requests, other_unpriced as token_requests_unpriced,
        cost_other_usd as cost_usd
    from calls
    where others > 0
)
select
    kind,
    items,
    content_tokens::bigint as content_tokens,
    round(requests / items, 1) as mean_requests_held,
    token_requests::bigint as token_requests,
    round(token_requests / nullif(sum(token_requests) over (), 0), 4) as share_of_prompt_tokens,
    cost_usd,
    round((cost_usd / nullif(sum(cost_usd) over (), 0))::double, 4) as share_of_cost,
    cost_cache_read_usd,
    cost_cache_write_usd,
    cost_uncached_usd,
    coalesce(token_requests_unpriced, 0)::bigint as token_requests_unpriced
from told
order by cost_usd desc nulls last, token_requests desc nulls last, kind
