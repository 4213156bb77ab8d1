-- How often somebody typed something, and how much the agents did for it, day by day.
-- reads: items, archive
-- params: days integer null
-- grain: day
select
    day,
    count(*) filter (where kind = 'user_text' and starts_turn) as prompts,
    coalesce(sum(tokens) filter (where kind = 'user_text'), 0)::bigint as typed_content_tokens,
    count(*) filter (where kind = 'tool_call') as tool_calls,
    count(distinct request_id) as requests
from items, archive
where day is not null and ($days::integer is null or day > newest_day - $days)
group by day
order by day
