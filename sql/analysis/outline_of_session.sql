-- What stands in a session, item by item; with a call's number, what the window held when that call was made.
-- reads: placements, items, requests
-- params: session text, at_request integer null
-- grain: item placed in the session
with homes as (
    -- An inherited item lies in the session that it was first said in. Only the texts of these are read.
    select distinct items.session_id
    from items
    semi join (select item_id from placements where session_id = $session) using (item_id)
),
told as (
    select item_id, kind, tool_name, path, tokens, request_id, left(text, 200) as text_start
    from items
    where session_id in (from homes)
)
select
    placements.position,
    placements.turn,
    placements.request_no,
    placements.epoch,
    items.kind,
    items.tool_name,
    items.path,
    items.tokens,
    placements.on_path,
    placements.in_context,
    placements.inherited,
    items.text_start
from placements
inner join told as items using (item_id)
where
    placements.session_id = $session
    and (
        $at_request::bigint is null
        or (
            placements.on_path
            and placements.in_context
            and placements.epoch = (select max(epoch) from requests where session_id = $session and request_no = $at_request)
            -- What a call made itself was not in its window.
            and (placements.request_no < $at_request or (placements.request_no = $at_request and items.request_id is null))
        )
    )
order by placements.position, items.item_id
