-- What each policy loses beside a control that freed as much at the same points; below zero is better than the control.
-- reads: evaluations
-- params: trigger text grid
-- grain: policy x budget x control
with tried as (
    select * from evaluations where acts and tokens_after < tokens_before and "trigger" = $trigger
),
policies as (
    select
        policy,
        budget,
        count(*) as points,
        count(distinct lineage_id) as lineages,
        sum(atom_regret) / nullif(sum(uses), 0) as atoms,
        sum(line_regret) / nullif(sum(line_uses), 0) as lines,
        avg(refetch_tokens) as refetch_tokens
    from tried
    where beside is null
    group by policy, budget
),
controls as (
    select
        beside as policy,
        budget,
        policy as control,
        sum(atom_regret) / nullif(sum(uses), 0) as atoms,
        sum(line_regret) / nullif(sum(line_uses), 0) as lines,
        avg(refetch_tokens) as refetch_tokens
    from tried
    where beside is not null
    group by beside, budget, policy
)
select
    policies.policy,
    policies.budget,
    controls.control,
    policies.points,
    policies.lineages,
    round(policies.atoms, 4) as atom_regret,
    round(policies.atoms - controls.atoms, 4) as atom_regret_less_control,
    round(policies.lines, 4) as line_regret,
    round(policies.lines - controls.lines, 4) as line_regret_less_control,
    round(policies.refetch_tokens - controls.refetch_tokens)::bigint as refetch_tokens_less_control
from policies
join controls on controls.policy = policies.policy and controls.budget is not distinct from policies.budget
order by policies.budget nulls first, policies.policy, controls.control
