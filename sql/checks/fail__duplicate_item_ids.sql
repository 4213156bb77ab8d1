-- An item is counted once over all files; one that stands twice is content counted twice.
-- reads: items
-- params: none
-- grain: item_id that offends
select item_id, count(*) as times, list(session_id order by session_id) as session_ids
from items
group by item_id
having count(*) > 1
order by item_id
