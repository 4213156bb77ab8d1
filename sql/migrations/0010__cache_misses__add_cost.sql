-- Misses say what was paid again; accounts made before tell it when they are made again.
-- reads: old
-- params: none
-- grain: row of version 1
select
    *,
    null::decimal(18, 9) as cost_usd
from old
