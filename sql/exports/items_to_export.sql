-- What stands in some sessions, in order, inherited things and left branches included, with the place of each in its log.
-- reads: placements, items, sources
-- params: sessions text[]
-- grain: session x item
select
    placements.session_id,
    placements.position,
    placements.turn,
    placements.request_no,
    placements.epoch,
    placements.on_path,
    placements.in_context,
    placements.inherited,
    items.session_id as home_session_id,
    items.item_id,
    items.kind,
    items.role,
    items.text,
    items.starts_turn,
    items.is_sidechain,
    items.request_id,
    items.tool_name,
    items.tool_category,
    items.call_id,
    items.path,
    items."at",
    items.tokens,
    items.flags,
    items.source_id,
    items.generation,
    sources.path as log_path,
    items.line_no,
    items.byte_offset,
    items.byte_length
from placements
join items using (item_id)
left join sources using (source_id, generation)
where list_contains($sessions, placements.session_id)
-- A file that is moved while it is read may be listed twice.
qualify row_number() over (partition by placements.session_id, placements.item_id order by sources.path) = 1
order by placements.session_id, placements.position, items.item_id
