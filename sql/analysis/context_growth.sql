-- How one session's context grew: the provider's prompt tokens at each of its calls, against the model's limit.
-- reads: requests
-- params: session text
-- grain: request
select
    request_no,
    "at",
    model,
    epoch,
    prompt_tokens,
    prompt_tokens - lag(prompt_tokens) over (order by request_no, request_id) as prompt_tokens_added,
    output_tokens,
    context_limit,
    round(prompt_tokens / nullif(context_limit, 0), 4) as share_of_limit
from requests
where session_id = $session and not coalesce(list_contains(flags, 'sum_of_calls'), false)
order by request_no, request_id
