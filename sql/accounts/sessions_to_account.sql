-- Which sessions have calls that count a prompt of their own.
-- reads: sessions, requests
-- params: none
-- grain: session
select
    sessions.session_id,
    sessions.agent,
    sessions.agent_version
from sessions
where exists (
    select 1
    from requests
    where
        requests.session_id = sessions.session_id
        and requests.prompt_tokens > 0
        and not coalesce(list_contains(requests.flags, 'sum_of_calls'), false)
)
order by sessions.session_id
