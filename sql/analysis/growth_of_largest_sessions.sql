-- How the contexts of the largest sessions grew, call by call, with compactions and prefixes that were paid for again.
-- reads: requests, sessions, items, compactions, cache_misses
-- params: sessions integer 6, calls integer 10
-- grain: request
with own as (
    select session_id, request_id, request_no, prompt_tokens, context_limit
    from requests
    where
        not coalesce(is_sidechain, false)
        and prompt_tokens > 0
        and not coalesce(list_contains(flags, 'sum_of_calls'), false)
),
largest as (
    select session_id, sum(prompt_tokens) as session_prompt_tokens, count(*) as session_calls
    from own
    group by session_id
    having count(*) >= $calls
    order by session_prompt_tokens desc, session_id
    limit $sessions
),
first_prompts as (
    select session_id, left(first(text order by seq), 200) as first_prompt_start
    from items
    where kind = 'user_text' and starts_turn and session_id in (select session_id from largest)
    group by session_id
),
compacted as (
    select session_id, request_no, count(*) as compactions
    from compactions
    group by session_id, request_no
)
select
    session_id,
    sessions.agent,
    sessions.title,
    first_prompt_start,
    session_prompt_tokens::bigint as session_prompt_tokens,
    session_calls,
    row_number() over (partition by session_id order by own.request_no, own.request_id) as call_no,
    own.prompt_tokens,
    own.context_limit,
    coalesce(compacted.compactions, 0) as compactions_after,
    cache_misses.cause as miss_cause,
    cache_misses.tokens_repaid
from largest
inner join own using (session_id)
left join sessions using (session_id)
left join first_prompts using (session_id)
left join compacted using (session_id, request_no)
left join cache_misses using (session_id, request_id)
order by session_prompt_tokens desc, session_id, call_no
