-- Which files filled a session's window at its fullest call (or at the one given): calls that name them, with their results.
-- reads: reconciliation, residency, items
-- params: session text, request_no integer null, top integer 20
-- grain: path
with call as (
    select request_no, is_sidechain, prompt_tokens
    from reconciliation
    where session_id = $session and ($request_no::integer is null or request_no = $request_no)
    order by is_sidechain, prompt_tokens desc, request_no, request_id
    limit 1
)
select
    call.request_no,
    items.path,
    count(*) filter (where items.kind = 'tool_call') as calls,
    count(distinct items.text_sha256) filter (where items.kind = 'tool_result') as different_results,
    sum(residency.tokens_calibrated)::bigint as tokens,
    round(sum(residency.tokens_calibrated) / nullif(call.prompt_tokens, 0), 4) as share_of_prompt
from residency
join call on
    call.is_sidechain = residency.is_sidechain
    and call.request_no between residency.first_request_no and residency.last_request_no
join items using (item_id)
where residency.session_id = $session and items.path is not null
group by call.request_no, items.path, call.prompt_tokens
order by tokens desc, items.path
limit $top
