-- What stands in some sessions word for word, in order; paths below the session's folder are told from there.
-- reads: placements, items, sessions
-- params: sessions text[]
-- grain: session x item
select
    placements.session_id,
    items.item_id,
    case
        when length(sessions.cwd) > 3 then replace(items.text, rtrim(sessions.cwd, '/') || '/', '')
        else items.text
    end as text
from placements
join items using (item_id)
join sessions on sessions.session_id = placements.session_id
where
    list_contains($sessions, placements.session_id)
    and placements.in_context
    and items.text <> ''
order by placements.session_id, placements.position, items.item_id
