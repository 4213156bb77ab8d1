-- What the window of a session held at one of its calls, item by item, with overhead and residual: together the whole prompt.
-- reads: reconciliation, residency, items, placements
-- params: session text, at_request integer
-- grain: item in the window, or overhead, residual
with call as (
    select session_id, is_sidechain, request_no, prompt_tokens, overhead_tokens, residual_tokens
    from reconciliation
    where session_id = $session and request_no = $at_request
),
held as (
    select
        residency.item_id,
        residency.form,
        residency.first_request_no as since_request,
        residency.tokens_calibrated as tokens,
        call.prompt_tokens
    from residency
    inner join call
        on
            residency.session_id = call.session_id and residency.is_sidechain = call.is_sidechain
            and call.request_no between residency.first_request_no and residency.last_request_no
    where residency.session_id = $session
),
told as (
    select
        placements.position,
        items.kind,
        items.turn,
        items.tool_name,
        items.path,
        held.form,
        held.since_request,
        items.tokens as content_tokens,
        held.tokens,
        held.prompt_tokens,
        held.item_id
    from held
    inner join items using (item_id)
    left join placements on placements.session_id = $session and placements.item_id = held.item_id
    union all by name
    select 'overhead' as kind, overhead_tokens as tokens, prompt_tokens
    from call
    union all by name
    select 'residual' as kind, residual_tokens as tokens, prompt_tokens
    from call
)
select
    position,
    kind,
    turn,
    tool_name,
    path,
    form,
    since_request,
    content_tokens,
    tokens,
    round(tokens / nullif(prompt_tokens, 0), 4) as share_of_prompt_tokens,
    item_id
from told
order by position nulls last, kind, item_id
