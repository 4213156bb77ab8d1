-- Nothing is lost that was not needed, no share is beyond one, and no more is freed than there was; else a measure is wrong.
-- reads: evaluations
-- params: none
-- grain: evaluation that offends
select session_id, request_no, "trigger", policy, beside, budget, uses, atom_regret, line_uses, line_regret
from evaluations
where
    not coalesce(atom_regret between 0 and uses + 1e-6, false)
    or not coalesce(line_regret between 0 and line_uses + 1e-6, false)
    or index_credit > atom_regret + 1e-6
    or hard_regret > hard_uses + 1e-6
    or weighted_regret > weighted_uses + 1e-6
    or constraint_survival not between 0 and 1
    or plan_fidelity not between 0 and 1
    or tokens_after < 0
order by all
