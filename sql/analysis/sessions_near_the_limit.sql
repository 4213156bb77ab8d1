-- Which sessions came close to their model's context limit, by the provider's prompt tokens of their largest call.
-- reads: requests, sessions
-- params: share double 0.8, top integer 50
-- grain: session
with fullest as (
    select session_id, max(prompt_tokens / context_limit) as share_of_limit, max(prompt_tokens) as largest_prompt_tokens
    from requests
    where context_limit > 0 and not coalesce(list_contains(flags, 'sum_of_calls'), false)
    group by session_id
)
select
    session_id,
    sessions.project,
    sessions.title,
    sessions.ended_at,
    largest_prompt_tokens,
    round(share_of_limit, 4) as share_of_limit
from fullest
left join sessions using (session_id)
where share_of_limit >= $share
order by share_of_limit desc, session_id
limit $top
