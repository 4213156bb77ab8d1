-- A session stands once; a second row would double every join on it.
-- reads: sessions
-- params: none
-- grain: session_id that offends
select session_id, count(*) as times
from sessions
group by session_id
having count(*) > 1
order by session_id
