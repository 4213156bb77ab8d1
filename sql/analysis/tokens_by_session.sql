-- Which sessions used the most: the provider's prompt and output tokens, and the content tokens that were first said there.
-- reads: sessions, requests, items, archive
-- params: days integer null, top integer 50
-- grain: session
with by_call as (
    select
        session_id,
        count(*) as requests,
        sum(prompt_tokens) as prompt_tokens,
        max(prompt_tokens) filter (where not coalesce(list_contains(flags, 'sum_of_calls'), false)) as largest_prompt_tokens,
        sum(cache_read_tokens) as cache_read_tokens,
        sum(output_tokens) as output_tokens,
        sum(cost_usd) as cost_usd,
        count(*) filter (where cost_origin = 'unpriced') as requests_unpriced
    from requests, archive
    where $days::integer is null or day > newest_day - $days
    group by session_id
),
by_content as (
    select session_id, sum(tokens) as content_tokens
    from items, archive
    where $days::integer is null or day > newest_day - $days
    group by session_id
),
largest as (
    select *
    from by_call
    full join by_content using (session_id)
    order by coalesce(prompt_tokens, 0) desc, coalesce(content_tokens, 0) desc, session_id
    limit $top
),
-- Only of those that are shown: all other texts stay unread.
prompts as (
    select session_id, arg_min(left(text, 200), seq) as first_prompt_start
    from items
    where kind = 'user_text' and starts_turn and session_id in (select session_id from largest)
    group by session_id
)
select
    session_id,
    sessions.agent,
    sessions.project,
    sessions.title,
    sessions.state,
    sessions.relation,
    sessions.started_at,
    sessions.ended_at,
    coalesce(requests, 0) as requests,
    coalesce(prompt_tokens, 0)::bigint as prompt_tokens,
    largest_prompt_tokens,
    round(cache_read_tokens / nullif(prompt_tokens, 0), 4) as share_from_cache,
    coalesce(output_tokens, 0)::bigint as output_tokens,
    cost_usd,
    coalesce(requests_unpriced, 0) as requests_unpriced,
    coalesce(content_tokens, 0)::bigint as content_tokens,
    first_prompt_start
from largest
left join sessions using (session_id)
left join prompts using (session_id)
order by prompt_tokens desc, content_tokens desc, session_id
