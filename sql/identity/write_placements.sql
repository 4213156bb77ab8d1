-- Rows of `placements`.
-- reads: places
-- grain: session x item
select session_id, position, item_id, turn, request_no, epoch, on_path, in_context, inherited, branch, branch_after
from places
order by session_id, position, item_id
