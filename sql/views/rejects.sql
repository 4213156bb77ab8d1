-- Spans of logs that are no record: position, reason and hash, never content.
-- reads: lake.rejects
-- params: none
-- grain: span that is no record
select
    source_id,
    generation,
    line_no,
    byte_offset,
    byte_length,
    reason,
    sha256
from lake.rejects
