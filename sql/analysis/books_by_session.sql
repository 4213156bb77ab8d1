-- How well each session's prompts are explained: shares of the whole, and how large the residual is from call to call.
-- reads: sessions, archive, reconciliation
-- params: session text null, agent text null, project text null, since date null, days integer null, calls integer 1, top integer 50
-- grain: session with at least so many calls
-- `residual_p90` 0.02 means: nine of ten prompts are explained but for at most 2 %. Steps are from call to call, foretold.
with chosen as (
    select session_id, agent, project, title
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
    session_id,
    chosen.agent,
    chosen.project,
    chosen.title,
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
inner join chosen using (session_id)
where told.prompt_tokens > 0
group by all
having count(*) >= $calls
order by residual_p90 desc, residual_p50 desc, session_id
limit $top
