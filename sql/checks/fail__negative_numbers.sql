-- Counts of tokens, bytes and money are never below zero; a log that says so is flagged and its number is null. Residuals may be.
-- reads: requests, items, reconciliation, residency
-- params: none
-- grain: request, item, account of a request or stay of an item that offends
select 'request' as what, request_id as id
from requests
where
    least(prompt_tokens, input_uncached_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens) < 0
    or cost_usd < 0
union all
select 'item' as what, item_id as id
from items
where least(tokens, chars, byte_length) < 0
union all
select 'account' as what, request_id as id
from reconciliation
where
    least(explained_tokens, overhead_tokens, content_tokens, items, output_tokens_estimated) < 0
    or least(cost_explained_usd, cost_overhead_usd, cost_output_usd, cost_output_estimated_usd) < 0
union all
select 'stay' as what, item_id as id
from residency
where
    least(requests, tokens_calibrated, token_requests) < 0
    or least(cost_usd, cost_cache_read_usd, cost_cache_write_usd, cost_uncached_usd) < 0
order by what, id
