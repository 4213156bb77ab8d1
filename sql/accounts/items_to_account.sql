-- What may have stood in the windows of sessions that count their prompts, in order; of texts only what names things.
-- reads: placements, items, requests
-- params: none
-- grain: session x item
select
    placements.session_id,
    items.item_id,
    placements.position,
    coalesce(placements.request_no, 1) as no,
    coalesce(placements.epoch, 0) as epoch,
    items.kind,
    coalesce(items.tokens, 0) as tokens,
    coalesce(items.chars, 0) as chars,
    coalesce(placements.turn, 0) as turn,
    items.request_id is not null as is_made,
    placements.on_path,
    placements.in_context as is_sent,
    coalesce(items.is_sidechain, false) as is_sidechain,
    items.call_id,
    items.flags,
    items.opaque_chars,
    items.tool_name,
    case when items.kind = 'tool_result' then
        length(items.text) - length(translate(items.text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', ''))
    else 0 end as marks,
    items.cleared_at,
    placements.branch,
    placements.branch_after,
    above.branch as branch_under,
    items.image_width,
    items.image_height,
    coalesce(starts_with(items.text, '<persisted-output>'), false) as is_preview,
    case when list_contains(items.flags, 'microcompact') then items.text end as microcompaction,
    case when list_contains(items.flags, 'replacement') then items.call_id end as replaces
from placements
join items using (item_id)
-- What a branch that was left goes on from may itself stand on one.
left join placements as above on above.session_id = placements.session_id and above.position = placements.branch_after
where
    (placements.in_context or list_has_any(items.flags, ['microcompact', 'replacement']))
    and placements.session_id in (select requests.session_id from requests where requests.prompt_tokens > 0)
order by placements.session_id, placements.position, items.item_id
