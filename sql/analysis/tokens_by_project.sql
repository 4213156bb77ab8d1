-- Which projects used the most: the provider's prompt and output tokens, and the content tokens of their sessions.
-- reads: sessions, requests, items, archive
-- params: days integer null, top integer 50
-- grain: project
with by_call as (
    select
        session_id,
        count(*) as requests,
        sum(prompt_tokens) as prompt_tokens,
        sum(cache_read_tokens) as cache_read_tokens,
        sum(output_tokens) as output_tokens,
        sum(cost_usd) as cost_usd,
        count(*) filter (where cost_origin = 'unpriced') as requests_unpriced
    from requests, archive
    where $days::integer is null or day > newest_day - $days
    group by session_id
),
by_content as (
    select session_id, sum(tokens) as content_tokens
    from items, archive
    where $days::integer is null or day > newest_day - $days
    group by session_id
)
select
    sessions.project,
    count(*) as sessions,
    coalesce(sum(requests), 0)::bigint as requests,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    round(sum(cache_read_tokens) / nullif(sum(prompt_tokens), 0), 4) as share_from_cache,
    coalesce(sum(output_tokens), 0)::bigint as output_tokens,
    sum(cost_usd) as cost_usd,
    coalesce(sum(requests_unpriced), 0)::bigint as requests_unpriced,
    coalesce(sum(content_tokens), 0)::bigint as content_tokens
from by_call
full join by_content using (session_id)
left join sessions using (session_id)
group by sessions.project
order by prompt_tokens desc, content_tokens desc, project nulls last
limit $top
