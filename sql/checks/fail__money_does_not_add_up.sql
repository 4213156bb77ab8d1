-- What a call cost is its explained + overhead + residual + output, what a stay cost is its parts, and all parts of a session are what
-- its calls cost, to the billionth of a dollar; else money was lost or told twice. A call without a price has no part with one.
-- reads: requests, reconciliation, residency
-- params: none
-- grain: call, stay or session that offends
with before_money as (
    -- Accounts made before there was money have no scales either; the next night makes them again.
    select distinct session_id
    from reconciliation
    where scale is null and content_tokens > 0
),
calls as (
    select
        account.session_id,
        account.request_id,
        requests.cost_usd,
        account.cost_explained_usd + account.cost_overhead_usd + account.cost_residual_usd + account.cost_output_usd as parts_usd,
        account.cost_overhead_usd + account.cost_residual_usd + account.cost_output_usd as parts_but_items_usd,
        coalesce(
            account.cost_explained_usd, account.cost_overhead_usd, account.cost_residual_usd, account.cost_output_usd,
            account.cost_output_estimated_usd
        ) as any_part_usd
    from reconciliation as account
    left join requests on requests.session_id = account.session_id and requests.request_id = account.request_id
    where account.session_id not in (select before_money.session_id from before_money)
),
stays as (
    select
        session_id,
        item_id,
        cost_usd,
        cost_cache_read_usd + cost_cache_write_usd + cost_uncached_usd as parts_usd,
        coalesce(cost_cache_read_usd, cost_cache_write_usd, cost_uncached_usd) as any_part_usd
    from residency
    where session_id not in (select before_money.session_id from before_money)
),
sessions as (
    select
        session_id,
        sum(cost_usd) as cost_usd,
        sum(items_usd) + sum(others_usd) as parts_usd
    from (
        select session_id, coalesce(cost_usd, 0) as cost_usd, 0 as items_usd, coalesce(parts_but_items_usd, 0) as others_usd
        from calls
        union all
        select session_id, 0, coalesce(cost_usd, 0), 0
        from stays
    )
    group by session_id
)
select 'call' as what, session_id, request_id as id, cost_usd, parts_usd
from calls
where cost_usd is distinct from parts_usd or (cost_usd is null and any_part_usd is not null)
union all
select 'stay' as what, session_id, item_id as id, cost_usd, parts_usd
from stays
where cost_usd is distinct from parts_usd or (cost_usd is null and any_part_usd is not null)
union all
select 'session' as what, session_id, session_id as id, cost_usd, parts_usd
from sessions
where cost_usd is distinct from parts_usd
order by what, session_id, id
