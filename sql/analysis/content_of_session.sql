-- What stands in a session, by kind of item and tool, in content tokens: also where no call tells what was sent.
-- reads: placements, items
-- params: session text
-- grain: kind of item x tool
select
    items.kind,
    items.tool_name,
    count(*) as items,
    count(*) filter (where list_contains(items.flags, 'error')) as failed,
    coalesce(sum(items.tokens), 0)::bigint as content_tokens,
    round(coalesce(sum(items.tokens), 0) / nullif(sum(sum(items.tokens)) over (), 0), 4) as share_of_content
from placements
join items using (item_id)
where placements.session_id = $session
group by items.kind, items.tool_name
order by content_tokens desc, items.kind, items.tool_name nulls last
