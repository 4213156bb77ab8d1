-- Stays say what they cost and whether they served; accounts made before tell it when they are made again.
-- reads: old
-- params: none
-- grain: row of version 1
select
    *,
    null::double as share_cached,
    null::decimal(18, 9) as cost_usd,
    null::decimal(18, 9) as cost_cache_read_usd,
    null::decimal(18, 9) as cost_cache_write_usd,
    null::decimal(18, 9) as cost_uncached_usd,
    null::bigint as later_uses,
    null::bigint as last_used_request_no
from old
