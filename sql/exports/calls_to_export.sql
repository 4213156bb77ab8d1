-- What some sessions paid for, call by call.
-- reads: requests
-- params: sessions text[]
-- grain: call
select
    session_id,
    request_no,
    request_id,
    "at",
    model,
    prompt_tokens,
    cache_read_tokens,
    cache_write_tokens,
    output_tokens,
    reasoning_tokens,
    output_origin,
    stop_reason,
    service_tier,
    cost_usd,
    flags
from requests
where list_contains($sessions, session_id)
order by session_id, request_no, request_id
