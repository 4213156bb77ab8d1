-- Calls of a session whose prompt is one that a window held.
-- reads: requests
-- params: session text
-- grain: call
select
    session_id,
    request_id,
    request_no as no,
    prompt_tokens,
    coalesce(epoch, 0) as epoch,
    "at",
    model,
    case when output_origin = 'reported' then output_tokens end as output_tokens,
    reasoning_tokens,
    coalesce(is_sidechain, false) as is_sidechain,
    input_uncached_tokens,
    cache_read_tokens,
    cache_write_tokens,
    cache_write_1h_tokens
from requests
where
    session_id = $session
    and prompt_tokens > 0
    and not coalesce(list_contains(flags, 'sum_of_calls'), false)
order by request_no, request_id
