-- How well a session's account explains its prompts: what the parts come to, and how large the unexplained rest is.
-- reads: reconciliation, calibrations, requests
-- params: session text
-- grain: session
with shares as (
    select
        *,
        abs(residual_tokens) / nullif(prompt_tokens, 0) as residual_share,
        abs(step_residual_tokens) / nullif(prompt_tokens, 0) as step_share
    from reconciliation
    where session_id = $session
),
scales as (
    select
        any_value(factor order by is_sidechain, model) as factor,
        string_agg(distinct pool, ', ' order by pool) as pools
    from calibrations
    where session_id = $session
)
select
    (select count(*) from requests where session_id = $session) as requests,
    count(*) as requests_with_account,
    sum(prompt_tokens)::bigint as prompt_tokens,
    sum(explained_tokens)::bigint as explained_tokens,
    sum(overhead_tokens)::bigint as overhead_tokens,
    sum(residual_tokens)::bigint as residual_tokens,
    min(overhead_tokens) as smallest_overhead_tokens,
    max(overhead_tokens) as largest_overhead_tokens,
    round(quantile_cont(residual_share, 0.5), 5) as residual_share_p50,
    round(quantile_cont(residual_share, 0.9), 5) as residual_share_p90,
    round(quantile_cont(residual_share, 0.99), 5) as residual_share_p99,
    round(quantile_cont(step_share, 0.5), 5) as step_share_p50,
    round(quantile_cont(step_share, 0.9), 5) as step_share_p90,
    round(quantile_cont(step_share, 0.99), 5) as step_share_p99,
    count(*) filter (where overhead_cause <> 'start') as overhead_moves,
    count(removal_rule) as inferred_removals,
    any_value(scales.factor) as factor,
    any_value(scales.pools) as pools
from shares
cross join scales
having count(*) > 0
