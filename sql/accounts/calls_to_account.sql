-- Calls whose prompt is one that a window held: not those that tell only what several calls cost together.
-- reads: requests
-- params: none
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
    cache_write_1h_tokens,
    output_tokens as output_reported_tokens,
    service_tier,
    cost_usd
from requests
where
    prompt_tokens > 0
    and not coalesce(list_contains(flags, 'sum_of_calls'), false)
order by session_id, request_no, request_id
