-- Why prefixes that were sent before were paid for again: how often, how many tokens, at what price beyond a read from the
-- cache.
-- reads: sessions, archive, cache_misses
-- params: session text null, agent text null, project text null, since date null, days integer null
-- grain: cause
with chosen as (
    select session_id
    from sessions
    cross join archive
    where
        ($session::varchar is null or session_id = $session)
        and ($agent::varchar is null or agent = $agent)
        and ($project::varchar is null or project = $project)
        and ($since::date is null or ended_at >= $since)
        and ($days::integer is null or cast(ended_at as date) > newest_day - $days)
)
select
    cause,
    count(*) as misses,
    count(distinct session_id) as sessions,
    sum(tokens_repaid)::bigint as tokens_repaid,
    round(sum(tokens_repaid) / nullif(sum(sum(tokens_repaid)) over (), 0), 4) as share_of_tokens_repaid,
    sum(cost_usd) as cost_usd,
    count(*) filter (where cost_usd is null) as misses_unpriced
from cache_misses
semi join chosen using (session_id)
group by cause
order by cost_usd desc nulls last, tokens_repaid desc, cause
