-- How many of the provider's tokens a measure of an item stands for, by class, in each session.
-- reads: lake.calibrations
-- params: none
-- grain: session x model x class of item
select
    session_id,
    model,
    is_sidechain,
    measure,
    scale,
    framing,
    factor,
    pool
from lake.calibrations
