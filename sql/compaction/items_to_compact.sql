-- What may have stood in the window of a session at any of its calls, in order, inherited things included, with all its text.
-- reads: placements, items
-- params: session text
-- grain: item placed in the session
select
    items.item_id,
    placements.session_id,
    placements.position,
    placements.position as seq,
    coalesce(placements.request_no, 1) as no,
    coalesce(placements.request_no, 1) as request_no,
    coalesce(placements.epoch, 0) as epoch,
    items.kind,
    items.text,
    coalesce(items.tokens, 0) as tokens,
    coalesce(items.chars, 0) as chars,
    coalesce(placements.turn, 0) as turn,
    items.role,
    items.starts_turn,
    items.request_id,
    items.request_id is not null as is_made,
    placements.on_path,
    placements.in_context as is_sent,
    coalesce(items.is_sidechain, false) as is_sidechain,
    items.tool_name,
    items.tool_category,
    items.call_id,
    items.path,
    items."at",
    items.flags,
    items.opaque_chars,
    items.cleared_at,
    placements.branch,
    placements.branch_after,
    above.branch as branch_under,
    coalesce(starts_with(items.text, '<persisted-output>'), false) as is_preview,
    case when list_contains(items.flags, 'microcompact') then items.text end as microcompaction,
    case when list_contains(items.flags, 'replacement') then items.call_id end as replaces,
    items.source_id,
    items.line_no
from placements
join items using (item_id)
-- What a branch that was left goes on from may itself stand on one.
left join placements as above on above.session_id = placements.session_id and above.position = placements.branch_after
where
    placements.session_id = $session
    and (placements.in_context or list_has_any(items.flags, ['microcompact', 'replacement']))
order by placements.position, items.item_id
