-- What was used day by day: the provider's prompt tokens in their disjoint buckets, output, and content tokens that were new.
-- reads: requests, items, archive
-- params: days integer null
-- grain: day
with by_call as (
    select
        day,
        count(*) as requests,
        count(distinct session_id) as sessions,
        sum(prompt_tokens) as prompt_tokens,
        sum(input_uncached_tokens) as input_uncached_tokens,
        sum(cache_read_tokens) as cache_read_tokens,
        sum(cache_write_tokens) as cache_write_tokens,
        sum(output_tokens) as output_tokens,
        sum(cost_usd) as cost_usd,
        count(*) filter (where cost_origin = 'unpriced') as requests_unpriced
    from requests
    group by day
),
by_content as (
    select day, sum(tokens) as content_tokens
    from items
    group by day
)
select
    day,
    coalesce(sessions, 0) as sessions,
    coalesce(requests, 0) as requests,
    coalesce(prompt_tokens, 0)::bigint as prompt_tokens,
    coalesce(input_uncached_tokens, 0)::bigint as input_uncached_tokens,
    coalesce(cache_read_tokens, 0)::bigint as cache_read_tokens,
    coalesce(cache_write_tokens, 0)::bigint as cache_write_tokens,
    coalesce(output_tokens, 0)::bigint as output_tokens,
    round(cache_read_tokens / nullif(prompt_tokens, 0), 4) as share_from_cache,
    cost_usd,
    coalesce(requests_unpriced, 0) as requests_unpriced,
    coalesce(content_tokens, 0)::bigint as content_tokens
from by_call
full join by_content using (day)
cross join archive
where day is not null and ($days::integer is null or day > newest_day - $days)
order by day
