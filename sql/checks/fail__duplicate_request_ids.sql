-- A paid call is counted once over all files; one that stands twice is money counted twice.
-- reads: requests
-- params: none
-- grain: request_id that offends
select request_id, count(*) as times, list(session_id order by session_id) as session_ids
from requests
group by request_id
having count(*) > 1
order by request_id
