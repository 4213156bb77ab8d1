-- Rows of `items` for a group of sessions: each item as its home session first tells it.
-- reads: places, told_items, told_requests, seen_items, told_group
-- params: timezone text
-- grain: item
with placed as (
    select
        places.item_id, places.session_id, places.position, places.turn, told.source_id, told.generation, told.ordinal,
        call_ids.id as request_id,
        told.is_replay and told.session_id not in (select session_id from present_parents where not is_stand_in) as is_undated
    from places
    inner join told_items as told on told.session_id = places.session_id and told.seen_id = places.seen_id
    left join (select distinct session_id, seen_id, id from told_requests) as call_ids
        on call_ids.session_id = told.session_id and call_ids.seen_id = told.request_id
    where not places.inherited and places.session_id in (select session_id from told_group)
)
select
    placed.item_id, placed.session_id, placed.position as seq, placed.turn,
    case when not placed.is_undated then (seen.at at time zone 'UTC' at time zone $timezone)::date end as day,
    placed.request_id, seen.kind, seen.role, seen.is_sidechain, seen.starts_turn, seen.tool_name, seen.tool_category,
    seen.call_id, seen.path, seen.text, seen.text_sha256, seen.chars, seen.tokens, seen.token_encoding,
    case when not placed.is_undated then seen.at end as at, seen.flags, seen.opaque_chars,
    seen.image_width, seen.image_height, seen.cleared_at,
    seen.source_id, seen.generation, seen.line_no, seen.byte_offset, seen.byte_length, seen.block_no
from placed
inner join lake.seen_items as seen using (source_id, generation, ordinal)
order by placed.session_id, placed.position, placed.item_id
