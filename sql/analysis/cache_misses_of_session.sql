-- Which calls of a session paid again for what had been sent before, why, and after what pause.
-- reads: cache_misses, requests
-- params: session text
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
)
select
    cache_misses.request_no,
    calls."at",
    calls.model,
    cache_misses.cause,
    cache_misses.tokens_repaid,
    calls.prompt_tokens,
    calls.cache_read_tokens,
    calls.seconds_since_call_before,
    cache_misses.cost_usd
from cache_misses
join calls using (request_id)
where cache_misses.session_id = $session
order by cache_misses.request_no, cache_misses.request_id
