-- Raw records without their text: place, type, shape and what was repaired.
-- reads: lake.records
-- params: none
-- grain: raw record, no text
select
    source_id,
    generation,
    line_no,
    byte_offset,
    byte_length,
    sha256,
    type,
    native_id,
    shape,
    origin,
    agent_version,
    session_id,
    flags
from lake.records
