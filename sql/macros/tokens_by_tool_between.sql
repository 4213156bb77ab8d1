-- Where the content tokens of tools went in some days: from one day on, up to but without another.
-- reads: items
-- params: from_day date, to_day date
-- grain: tool_name x tool_category
select
    coalesce(tool_name, '(unnamed)') as tool_name,
    coalesce(tool_category, 'other') as tool_category,
    count(*) filter (where kind = 'tool_call') as calls,
    coalesce(sum(tokens), 0)::bigint as content_tokens,
    round(sum(tokens) / nullif(sum(sum(tokens)) over (), 0), 4) as share_of_tool_content
from items
where kind in ('tool_call', 'tool_result') and day >= $from_day::date and day < $to_day::date
group by 1, 2
order by content_tokens desc, 1, 2
