-- What one session's window held at each of its calls, kind by kind, in the provider's tokens.
-- reads: residency, items, reconciliation
-- params: session text
-- grain: call x kind of item, or overhead, residual
with calls as (
    select request_no, request_id, is_sidechain, overhead_tokens, residual_tokens
    from reconciliation
    where session_id = $session
),
changes as (
    select
        items.kind,
        residency.is_sidechain,
        first_request_no as request_no,
        tokens_calibrated as tokens,
        1 as items,
        0 as is_leaving
    from residency
    inner join items using (item_id)
    where residency.session_id = $session
    union all
    select items.kind, residency.is_sidechain, last_request_no, -tokens_calibrated, -1, 1
    from residency
    inner join items using (item_id)
    where residency.session_id = $session
),
kinds as (
    select distinct kind, is_sidechain
    from changes
),
-- What leaves with a call was still held by it.
events as (
    select kind, is_sidechain, request_no, null as request_id, 2 * request_no + is_leaving as place, tokens, items
    from changes
    union all
    select kind, is_sidechain, request_no, request_id, 2 * request_no, 0, 0
    from calls
    inner join kinds using (is_sidechain)
),
held as (
    select
        request_no,
        request_id,
        kind,
        sum(items) over so_far as items,
        sum(tokens) over so_far as tokens
    from events
    window so_far as (partition by kind, is_sidechain order by place range between unbounded preceding and current row)
    qualify request_id is not null
)
select request_no, kind, items::bigint as items, tokens::bigint as tokens
from (
    select request_no, request_id, kind, items, tokens
    from held
    where items > 0
    union all
    select request_no, request_id, 'overhead', null, overhead_tokens
    from calls
    union all
    select request_no, request_id, 'residual', null, residual_tokens
    from calls
)
order by request_no, request_id, kind
