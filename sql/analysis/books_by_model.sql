-- How well prompts are explained by agent and model: shares of the whole, and how large the residual is from call to call.
-- reads: sessions, archive, reconciliation, requests
-- params: agent text null, project text null, since date null, days integer null, calls integer 1
-- grain: agent x model, over sessions with at least so many calls
with chosen as (
    select session_id, agent
    from sessions
    cross join archive
    where
        ($agent::varchar is null or agent = $agent)
        and ($project::varchar is null or project = $project)
        and ($since::date is null or ended_at >= $since)
        and ($days::integer is null or cast(ended_at as date) > newest_day - $days)
),
long_enough as (
    select session_id
    from reconciliation
    group by session_id
    having count(*) >= $calls
)
select
    chosen.agent,
    coalesce(requests.model, '(not named)') as model,
    count(distinct session_id) as sessions,
    count(*) as requests,
    sum(told.prompt_tokens)::bigint as prompt_tokens,
    round(sum(explained_tokens) / sum(told.prompt_tokens), 4) as share_explained,
    round(sum(overhead_tokens) / sum(told.prompt_tokens), 4) as share_overhead,
    round(sum(residual_tokens) / sum(told.prompt_tokens), 4) as share_residual,
    round(quantile_cont(abs(residual_tokens) / told.prompt_tokens, 0.5), 5) as residual_p50,
    round(quantile_cont(abs(residual_tokens) / told.prompt_tokens, 0.9), 5) as residual_p90,
    round(quantile_cont(abs(residual_tokens) / told.prompt_tokens, 0.99), 5) as residual_p99,
    round(quantile_cont(abs(step_residual_tokens) / told.prompt_tokens, 0.5), 5) as step_residual_p50,
    round(quantile_cont(abs(step_residual_tokens) / told.prompt_tokens, 0.9), 5) as step_residual_p90,
    round(quantile_cont(abs(step_residual_tokens) / told.prompt_tokens, 0.99), 5) as step_residual_p99,
    count(overhead_cause) filter (where overhead_cause <> 'start') as overhead_moves,
    count(removal_rule) as inferred_removals
from reconciliation as told
semi join long_enough using (session_id)
inner join chosen using (session_id)
inner join requests using (session_id, request_id)
where told.prompt_tokens > 0
group by 1, 2
order by prompt_tokens desc, 1, 2
