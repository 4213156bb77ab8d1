-- Where the windows of some sessions were compacted, inherited compactions included.
-- reads: compactions, placements
-- params: sessions text[]
-- grain: compaction
select
    session_id,
    compaction_id,
    request_no,
    "at",
    trigger,
    tokens_before,
    tokens_after,
    items_removed,
    summary_item_id
from compactions
where
    list_contains($sessions, session_id)
    or summary_item_id in (select item_id from placements where list_contains($sessions, session_id))
order by session_id, request_no, compaction_id
