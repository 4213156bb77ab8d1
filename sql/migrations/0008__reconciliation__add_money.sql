-- Calls say what each part of their account cost; accounts made before tell it when they are made again.
-- reads: old
-- params: none
-- grain: row of version 1
select
    *,
    null::double as scale,
    null::decimal(18, 9) as cost_explained_usd,
    null::decimal(18, 9) as cost_overhead_usd,
    null::decimal(18, 9) as cost_residual_usd,
    null::decimal(18, 9) as cost_output_usd,
    null::bigint as output_tokens_estimated,
    null::decimal(18, 9) as cost_output_estimated_usd
from old
