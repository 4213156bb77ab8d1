-- Tool results that came back word for word more than once: content tokens that bought nothing new.
-- reads: items, archive
-- params: days integer null, top integer 30, min_tokens integer 100
-- grain: session x tool x path x text
with results as (
    select items.session_id, items.tool_name, items.path, items.text_sha256, items.tokens, items.seq
    from items, archive
    where
        items.kind = 'tool_result'
        and items.tokens >= $min_tokens
        and ($days::integer is null or day > newest_day - $days)
)
select
    session_id,
    tool_name,
    path,
    count(*) as times,
    max(tokens) as content_tokens_each,
    ((count(*) - 1) * max(tokens))::bigint as content_tokens_repeated
from results
group by session_id, tool_name, path, text_sha256
having count(*) > 1
order by content_tokens_repeated desc, session_id, tool_name nulls last, path nulls last
limit $top
