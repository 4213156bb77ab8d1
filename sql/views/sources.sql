-- Log files and what became of them; this table is the checkpoint of the archive.
-- reads: lake.sources
-- params: none
-- grain: log file generation, or a file listed without rows of its own
select
    source_id,
    generation,
    agent,
    form,
    native_id,
    path,
    state,
    reason,
    copy_of,
    bytes,
    lines,
    committed_bytes,
    raw_bytes,
    prefix_hash,
    bytes_in_rows,
    bytes_rejected,
    bytes_blank,
    bytes_pending,
    lines_in_rows,
    lines_rejected,
    lines_blank,
    lines_pending,
    first_keys,
    reader_version,
    redaction_version,
    mtime,
    first_seen_at,
    last_changed_at
from lake.sources
