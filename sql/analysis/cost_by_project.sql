-- What each project cost: prompts as explained + overhead + residual, output, and the dollars of each.
-- reads: sessions, archive, requests, reconciliation
-- params: agent text null, since date null, days integer null, top integer 50
-- grain: project
-- Calls whose prompt no window explains are in `prompt_tokens` and `cost_usd` alone.
with chosen as (
    select session_id, project
    from sessions
    cross join archive
    where
        ($agent::varchar is null or agent = $agent)
        and ($since::date is null or ended_at >= $since)
        and ($days::integer is null or cast(ended_at as date) > newest_day - $days)
)
select
    chosen.project,
    count(distinct requests.session_id) as sessions,
    count(*) as requests,
    coalesce(sum(requests.prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(explained_tokens), 0)::bigint as explained_tokens,
    coalesce(sum(overhead_tokens), 0)::bigint as overhead_tokens,
    coalesce(sum(residual_tokens), 0)::bigint as residual_tokens,
    coalesce(sum(output_tokens), 0)::bigint as output_tokens,
    round(sum(cache_read_tokens) / nullif(sum(requests.prompt_tokens), 0), 4) as share_from_cache,
    sum(requests.cost_usd) as cost_usd,
    sum(cost_explained_usd) as cost_explained_usd,
    sum(cost_overhead_usd) as cost_overhead_usd,
    sum(cost_residual_usd) as cost_residual_usd,
    sum(cost_output_usd) as cost_output_usd,
    count(*) filter (where requests.cost_origin = 'unpriced') as requests_unpriced
from requests
inner join chosen using (session_id)
left join reconciliation as told using (session_id, request_id)
group by chosen.project
order by cost_usd desc nulls last, prompt_tokens desc, chosen.project nulls last
limit $top
