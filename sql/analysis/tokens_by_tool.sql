-- Where the content tokens of tools went, by tool: what the model wrote into calls and what the results brought back.
-- reads: items, archive
-- params: days integer null, top integer 50
-- grain: tool_name x tool_category
with chosen as (
    select tool_name, tool_category, kind, tokens
    from items, archive
    where
        kind in ('tool_call', 'tool_result')
        and ($days::integer is null or day > newest_day - $days)
)
select
    coalesce(tool_name, '(unnamed)') as tool_name,
    coalesce(tool_category, 'other') as tool_category,
    count(*) filter (where kind = 'tool_call') as calls,
    coalesce(sum(tokens) filter (where kind = 'tool_call'), 0)::bigint as call_content_tokens,
    coalesce(sum(tokens) filter (where kind = 'tool_result'), 0)::bigint as result_content_tokens,
    coalesce(sum(tokens), 0)::bigint as content_tokens,
    round(sum(tokens) / nullif((select sum(tokens) from chosen), 0), 4) as share_of_tool_content
from chosen
group by all
order by content_tokens desc, tool_name, tool_category
limit $top
