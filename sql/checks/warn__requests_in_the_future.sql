-- Calls later than the night that read them: a wrong clock or a wrong reader, and `days` counts back from them.
-- reads: requests, runs
-- params: none
-- grain: request that offends
select request_id, session_id, "at"
from requests
where "at" > (select max(started_at) from runs) + interval 2 days
order by request_id
