-- Rows say on which branch an item stands that was left; sessions resolved before tell it when they are resolved again.
-- reads: old
-- params: none
-- grain: row of version 1
select
    *,
    null::bigint as branch,
    null::bigint as branch_after
from old
