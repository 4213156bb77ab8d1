-- Where a text was said, newest first, without regard to upper and lower case, with the words around it.
-- reads: items, sessions
-- params: text text, agent text null, kind text null, since date null, top integer 50
-- grain: item
with found as (
    select items.session_id, items.item_id, items.turn, items.seq, items.kind, items.tool_name, items.at, items.text
    from items
    left join sessions using (session_id)
    where
        -- A pattern needs no lower-cased copy of every text. It does not know that İ is a kind of i.
        case
            when regexp_matches(items.text, regexp_escape($text), 'i') or contains(items.text, 'İ')
                then contains(lower(items.text), lower($text))
        end
        and ($agent::varchar is null or sessions.agent = $agent)
        and ($kind::varchar is null or items.kind = $kind)
        and ($since::date is null or items.at >= $since)
    order by items.at desc nulls last, items.session_id, items.seq, items.item_id
    limit $top
)
select
    session_id,
    turn,
    seq,
    kind,
    tool_name,
    "at",
    -- A letter may change its length in lower case; then the place is right only in the lower-cased text.
    substr(
        if(length(lower(text)) = length(text), text, lower(text)),
        greatest(1, position(lower($text) in lower(text)) - 60),
        160 + length($text)
    ) as words
from found
order by "at" desc nulls last, session_id, seq, item_id
