-- Which calls of a session paid again for what had been sent before, why, and after what pause; of many, the largest.
-- reads: cache_misses, requests
-- params: session text, top integer 200
-- grain: call that paid for a prefix again
with calls as (
    select
        request_id,
        "at",
        model,
        prompt_tokens,
        cache_read_tokens,
        date_diff('second', lag("at") over (order by request_no, request_id), "at") as seconds_since_call_before
    from requests
    where session_id = $session
),
largest as (
    select * from cache_misses
    where session_id = $session
    order by tokens_repaid desc, request_no, request_id
    limit $top
)
select
    largest.request_no,
    calls."at",
    calls.model,
    largest.cause,
    largest.tokens_repaid,
    calls.prompt_tokens,
    calls.cache_read_tokens,
    calls.seconds_since_call_before,
    largest.cost_usd
from largest
join calls using (request_id)
order by largest.request_no, largest.request_id
