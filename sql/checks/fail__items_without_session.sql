-- An item whose session is not in the lake would vanish from every total by session or project.
-- reads: items, sessions
-- params: none
-- grain: item that offends
select items.item_id, items.session_id
from items
anti join sessions using (session_id)
order by item_id, session_id
