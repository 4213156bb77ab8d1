-- Where the content tokens went, by kind of item: each item once, counted with its tokenizer, not the provider's count.
-- reads: items, archive
-- params: days integer null
-- grain: kind
with chosen as (
    select kind, tokens, chars
    from items, archive
    where $days::integer is null or day > newest_day - $days
)
select
    kind,
    count(*) as items,
    coalesce(sum(tokens), 0)::bigint as content_tokens,
    round(sum(tokens) / nullif((select sum(tokens) from chosen), 0), 4) as share_of_content,
    coalesce(sum(chars), 0)::bigint as chars
from chosen
group by kind
order by content_tokens desc, kind
