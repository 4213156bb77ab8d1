-- The buckets of a prompt are disjoint and add up to it; else a cached token was counted twice or dropped.
-- reads: requests
-- params: none
-- grain: request that offends
select request_id, prompt_tokens, input_uncached_tokens, cache_read_tokens, cache_write_tokens
from requests
where
    prompt_tokens is distinct from
    case
        when coalesce(input_uncached_tokens, cache_read_tokens, cache_write_tokens) is null then prompt_tokens
        else coalesce(input_uncached_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)
    end
order by request_id
