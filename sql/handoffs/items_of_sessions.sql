-- What stands in some sessions on their active branches, in order, inherited things included; `seq` is the place there.
-- reads: placements, items
-- params: sessions text[]
-- grain: session x item
select
    items.item_id,
    placements.session_id,
    placements.position as seq,
    items.kind,
    items.text,
    placements.turn,
    items.role,
    items.starts_turn,
    items.is_sidechain,
    items.request_id,
    items.tool_name,
    items.tool_category,
    items.call_id,
    items.path,
    items."at",
    items.tokens,
    items.source_id,
    items.generation,
    items.line_no,
    items.flags
from placements
join items using (item_id)
where list_contains($sessions, placements.session_id) and placements.on_path is not false
order by placements.session_id, placements.position, items.item_id
