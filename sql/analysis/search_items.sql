-- Where a text was said, newest first, without regard to upper and lower case, with the words around it.
-- reads: items, sessions
-- params: text text, agent text null, kind text null, since date null, top integer 50
-- grain: item
select
    items.session_id,
    items.turn,
    items.seq,
    items.kind,
    items.tool_name,
    items.at,
    -- A letter may change its length in lower case; then the place is right only in the lower-cased text.
    substr(
        if(length(lower(items.text)) = length(items.text), items.text, lower(items.text)),
        greatest(1, position(lower($text) in lower(items.text)) - 60),
        160 + length($text)
    ) as words
from items
left join sessions using (session_id)
where
    contains(lower(items.text), lower($text))
    and ($agent::varchar is null or sessions.agent = $agent)
    and ($kind::varchar is null or items.kind = $kind)
    and ($since::date is null or items.at >= $since)
order by items.at desc nulls last, items.session_id, items.seq, items.item_id
limit $top
