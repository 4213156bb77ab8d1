-- How much of the prompts is overhead that no log shows (system prompt, tool schemas, rules), by agent, model and month.
-- reads: sessions, archive, requests, reconciliation
-- params: session text null, agent text null, project text null, since date null, days integer null
-- grain: agent x model x month
with chosen as (
    select session_id, agent
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
    chosen.agent,
    coalesce(requests.model, '(not named)') as model,
    date_trunc('month', requests.day)::date as month,
    count(distinct session_id) as sessions,
    count(*) as requests,
    sum(told.prompt_tokens)::bigint as prompt_tokens,
    sum(overhead_tokens)::bigint as overhead_tokens,
    round(sum(overhead_tokens) / nullif(sum(told.prompt_tokens), 0), 4) as share_of_prompt_tokens,
    median(overhead_tokens)::bigint as median_overhead_tokens,
    sum(cost_overhead_usd) as cost_overhead_usd,
    round((sum(cost_overhead_usd) / nullif(sum(requests.cost_usd), 0))::double, 4) as share_of_cost
from reconciliation as told
inner join chosen using (session_id)
inner join requests using (session_id, request_id)
group by 1, 2, 3
order by overhead_tokens desc, 1, 2, 3 nulls last
