-- Paid calls to a model, each counted once over all files, with the provider's own token counts.
-- reads: lake.requests
-- params: none
-- grain: paid API call, once over all files
select
    request_id,
    session_id,
    request_no,
    "at",
    day,
    model,
    prompt_tokens,
    input_uncached_tokens,
    cache_read_tokens,
    cache_write_tokens,
    cache_write_5m_tokens,
    cache_write_1h_tokens,
    output_tokens,
    reasoning_tokens,
    output_origin,
    is_sidechain,
    stop_reason,
    service_tier,
    context_limit,
    web_search_requests,
    epoch,
    cost_usd,
    cost_origin,
    flags
from lake.requests
