-- Where items stand: every session that an item is part of, its own or one that inherited it.
-- reads: lake.placements
-- params: none
-- grain: item x session it stands in, own or inherited
select
    session_id,
    position,
    item_id,
    turn,
    request_no,
    epoch,
    on_path,
    in_context,
    inherited,
    branch,
    branch_after
from lake.placements
