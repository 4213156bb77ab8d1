-- Every prompt that a window held, as its provider counted it: explained by items + overhead + residual.
-- reads: lake.reconciliation
-- params: none
-- grain: call whose prompt a window held
select
    session_id,
    request_id,
    request_no,
    is_sidechain,
    prompt_tokens,
    explained_tokens,
    overhead_tokens,
    residual_tokens,
    step_residual_tokens,
    content_tokens,
    items,
    overhead_cause,
    removal_rule,
    scale,
    cost_explained_usd,
    cost_overhead_usd,
    cost_residual_usd,
    cost_output_usd,
    output_tokens_estimated,
    cost_output_estimated_usd
from lake.reconciliation
