-- Compactions found in the logs, each once over all files.
-- reads: lake.compactions
-- params: none
-- grain: compaction found in a log, once over all files
select
    compaction_id,
    session_id,
    request_no,
    "at",
    trigger,
    tokens_before,
    tokens_after,
    items_removed,
    summary_item_id
from lake.compactions
