-- Which sessions came close to their model's context limit, by their fullest prompt, or met it: the agent compacted by itself.
-- reads: requests, sessions, compactions
-- params: share double 0.8, top integer 50
-- grain: session
-- The limit is what the log says, else what is known of the model. An agent may have set a lower one: then it compacts by
-- itself at a smaller share.
with calls as (
    select
        requests.session_id,
        requests.request_no,
        requests.model,
        requests.prompt_tokens,
        coalesce(requests.context_limit, sessions.context_limit) as context_limit
    from requests
    left join sessions using (session_id)
    where not coalesce(list_contains(requests.flags, 'sum_of_calls'), false)
),
fullest as (
    select
        session_id,
        max(prompt_tokens / context_limit) as share_of_limit,
        max(prompt_tokens) as largest_prompt_tokens,
        arg_max(context_limit, prompt_tokens / context_limit) as context_limit,
        arg_max(model, prompt_tokens / context_limit) as model,
        count(*) filter (where prompt_tokens / context_limit >= $share) as requests_near_the_limit
    from calls
    where context_limit > 0
    group by session_id
),
compacted as (
    select session_id, count(*) as automatic_compactions
    from compactions
    where trigger = 'auto'
    group by session_id
)
select
    session_id,
    sessions.project,
    sessions.title,
    sessions.ended_at,
    largest_prompt_tokens,
    round(share_of_limit, 4) as share_of_limit,
    fullest.context_limit,
    fullest.model,
    requests_near_the_limit,
    coalesce(automatic_compactions, 0) as automatic_compactions
from fullest
left join sessions using (session_id)
left join compacted using (session_id)
where share_of_limit >= $share or automatic_compactions > 0
order by share_of_limit desc, session_id
limit $top
