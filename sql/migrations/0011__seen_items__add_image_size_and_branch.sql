-- Rows say how large an image is, when a text was cleared, and which branch was left; logs read before tell it when read again.
-- reads: old
-- params: none
-- grain: row of version 3
select
    *,
    null::integer as image_width,
    null::integer as image_height,
    null::timestamp as cleared_at,
    null::varchar as branch,
    null::varchar as branch_after
from old
