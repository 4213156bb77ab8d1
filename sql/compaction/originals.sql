-- What some items said before a compaction changed or removed them.
-- reads: items
-- params: ids text[]
-- grain: item
select
    item_id,
    session_id,
    seq,
    kind,
    text,
    turn,
    role,
    starts_turn,
    is_sidechain,
    request_id,
    tool_name,
    tool_category,
    call_id,
    path,
    "at",
    tokens,
    source_id,
    line_no,
    flags
from items
where list_contains($ids, item_id)
order by item_id
