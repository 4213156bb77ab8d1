-- Rows say how much of an item only the model can read; logs that were read before tell it when they are read again.
-- reads: old
-- params: none
-- grain: row of version 2
select *, null::bigint as opaque_chars from old
