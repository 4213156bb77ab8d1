-- Rows say how large an image is and when a text was cleared; logs that were read before tell it when they are read again.
-- reads: old
-- params: none
-- grain: row of version 2
select
    *,
    null::integer as image_width,
    null::integer as image_height,
    null::timestamp as cleared_at
from old
