-- Calls that their logs count nothing of, whatever their models cost: they are missing from every sum of tokens and money.
-- reads: requests, sessions
-- params: none
-- grain: agent x model
select sessions.agent, coalesce(requests.model, '(not named)') as model, count(*) as requests
from requests
left join sessions using (session_id)
where requests.cost_origin = 'no_usage'
group by sessions.agent, requests.model
order by requests desc, sessions.agent, requests.model
