-- Counts of tokens, bytes and money are never below zero; a log that says so is flagged and its number is null.
-- reads: requests, items
-- params: none
-- grain: request or item that offends
select 'request' as what, request_id as id
from requests
where
    least(prompt_tokens, input_uncached_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens) < 0
    or cost_usd < 0
union all
select 'item' as what, item_id as id
from items
where least(tokens, chars, byte_length) < 0
order by what, id
