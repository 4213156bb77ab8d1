-- What filled a session's window at its fullest call (or at the one given), by kind of item and tool, with overhead and residual.
-- reads: reconciliation, residency, items
-- params: session text, request_no integer null
-- grain: kind of item x tool, or overhead, residual
with call as (
    select request_no, is_sidechain, prompt_tokens, overhead_tokens, residual_tokens
    from reconciliation
    where session_id = $session and ($request_no::integer is null or request_no = $request_no)
    order by is_sidechain, prompt_tokens desc, request_no, request_id
    limit 1
),
held as (
    select items.kind, items.tool_name, count(*) as items, sum(residency.tokens_calibrated)::bigint as tokens
    from residency
    join call on
        call.is_sidechain = residency.is_sidechain
        and call.request_no between residency.first_request_no and residency.last_request_no
    join items using (item_id)
    where residency.session_id = $session
    group by items.kind, items.tool_name
),
parts as (
    select kind, tool_name, items, tokens from held
    union all
    select 'overhead', null, null, overhead_tokens from call
    union all
    select 'residual', null, null, residual_tokens from call
)
select
    call.request_no,
    kind,
    tool_name,
    items,
    tokens,
    round(tokens / nullif(call.prompt_tokens, 0), 4) as share_of_prompt
from parts
cross join call
order by tokens desc, kind, tool_name nulls last
