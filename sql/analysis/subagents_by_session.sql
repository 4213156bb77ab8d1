-- What sessions gave to sub-agents: how many, their calls and prompt tokens, which are not in the parent's own count.
-- reads: sessions, requests
-- params: top integer 50
-- grain: parent session
with children as (
    select session_id, parent_session_id
    from sessions
    where relation = 'subagent' and parent_session_id is not null
),
usage as (
    select session_id, count(*) as requests, sum(prompt_tokens) as prompt_tokens, sum(output_tokens) as output_tokens
    from requests
    group by session_id
)
select
    children.parent_session_id as session_id,
    parents.project,
    count(*) as subagents,
    coalesce(sum(usage.requests), 0)::bigint as subagent_requests,
    coalesce(sum(usage.prompt_tokens), 0)::bigint as subagent_prompt_tokens,
    coalesce(sum(usage.output_tokens), 0)::bigint as subagent_output_tokens,
    coalesce(any_value(own.prompt_tokens), 0)::bigint as own_prompt_tokens
from children
left join usage using (session_id)
left join usage as own on own.session_id = children.parent_session_id
left join sessions as parents on parents.session_id = children.parent_session_id
group by children.parent_session_id, parents.project
order by subagent_prompt_tokens desc, session_id
limit $top
