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
    removal_rule
from lake.reconciliation
