-- A placement must lead to an item, else a window cannot be rebuilt.
-- reads: placements, items
-- params: none
-- grain: placement that offends
select placements.session_id, placements.position, placements.item_id
from placements
anti join items using (item_id)
order by session_id, position, item_id
