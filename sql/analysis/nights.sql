-- What each pipeline run that committed brought in, newest first.
-- reads: runs
-- params: top integer 30
-- grain: run that committed
select
    run_id,
    commit,
    started_at,
    round(seconds, 1) as seconds,
    bytes_seen,
    sources_changed,
    sessions_changed,
    rejects,
    exit_state
from runs
order by started_at desc, run_id
limit $top
