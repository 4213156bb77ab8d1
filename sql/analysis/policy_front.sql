-- What each policy frees, and what it loses: the points of the front between the two.
-- reads: evaluations
-- params: trigger text grid
-- grain: policy x budget
select
    policy,
    is_control,
    budget,
    count(*) as points,
    count(distinct lineage_id) as lineages,
    round(1 - sum(tokens_after) / sum(tokens_before), 4) as share_freed,
    round(sum(atom_regret) / nullif(sum(uses), 0), 4) as atom_regret,
    round(sum(index_credit) / nullif(sum(uses), 0), 4) as index_credit,
    round(sum(line_regret) / nullif(sum(line_uses), 0), 4) as line_regret,
    round(avg(refetch_tokens))::bigint as refetch_tokens,
    round(avg(regret_unrecoverable), 2) as unrecoverable,
    round(sum(constraint_survival * constraints) / nullif(sum(constraints), 0), 4) as constraint_survival,
    round(avg(invalidated_tokens))::bigint as invalidated_tokens
from evaluations
where beside is null and acts and tokens_after < tokens_before and "trigger" = $trigger
group by policy, is_control, budget
order by budget nulls first, share_freed, policy
