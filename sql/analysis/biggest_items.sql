-- The largest single things in the archive by content tokens, with the log line that holds each.
-- reads: items, sources, sessions, archive
-- params: days integer null, top integer 20
-- grain: item
select
    items.item_id,
    items.session_id,
    sessions.project,
    items.turn,
    items.kind,
    items.tool_name,
    items.path,
    items.tokens as content_tokens,
    items.chars,
    sources.path as log_path,
    items.line_no
from items
cross join archive
left join sources using (source_id, generation)
left join sessions using (session_id)
where items.tokens > 0 and ($days::integer is null or items.day > newest_day - $days)
order by items.tokens desc, items.item_id
limit $top
