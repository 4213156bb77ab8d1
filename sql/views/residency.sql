-- How long every item stayed in a window, and at how many of the provider's tokens.
-- reads: lake.residency
-- params: none
-- grain: unbroken stay of an item in one session's window
select
    session_id,
    item_id,
    is_sidechain,
    epoch,
    form,
    inferred,
    first_request_no,
    last_request_no,
    requests,
    tokens_calibrated,
    token_requests,
    share_cached,
    cost_usd,
    cost_cache_read_usd,
    cost_cache_write_usd,
    cost_uncached_usd,
    later_uses,
    last_used_request_no
from lake.residency
