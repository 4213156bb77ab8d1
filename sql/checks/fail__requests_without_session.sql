-- A paid call whose session is not in the lake would vanish from every total by session or project.
-- reads: requests, sessions
-- params: none
-- grain: request that offends
select requests.request_id, requests.session_id
from requests
anti join sessions using (session_id)
order by request_id, session_id
