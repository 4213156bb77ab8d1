-- Pipeline runs that committed a snapshot.
-- reads: lake.runs
-- params: none
-- grain: pipeline run that committed
select
    run_id,
    started_at,
    seconds,
    bytes_seen,
    sources_changed,
    sessions_changed,
    rejects,
    exit_state,
    commit
from lake.runs
