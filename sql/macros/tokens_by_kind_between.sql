-- Where the content tokens of some days went, by kind of item: from one day on, up to but without another.
-- reads: items
-- params: from_day date, to_day date
-- grain: kind
select
    kind,
    count(*) as items,
    coalesce(sum(tokens), 0)::bigint as content_tokens,
    round(sum(tokens) / nullif(sum(sum(tokens)) over (), 0), 4) as share_of_content
from items
where day >= $from_day::date and day < $to_day::date
group by kind
order by content_tokens desc, kind
