-- Prefixes that were sent before and were paid for again, and why.
-- reads: lake.cache_misses
-- params: none
-- grain: call that paid for a prefix again
select
    session_id,
    request_id,
    request_no,
    tokens_repaid,
    cause,
    cost_usd
from lake.cache_misses
