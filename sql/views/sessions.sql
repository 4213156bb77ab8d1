-- Sessions, and whether one may still go on: open, crashed or finished, measured against the newest record of the archive.
-- reads: lake.sessions
-- params: none
-- grain: session
select
    session_id,
    agent,
    native_id,
    project,
    cwd,
    git_branch,
    git_commit,
    title,
    started_at,
    ended_at,
    parent_session_id,
    parent_item_id,
    relation,
    lineage_id,
    ending,
    -- The wall clock would call every session of an old archive dead; the archive's own end does not.
    case
        when ended_at >= (select max(ended_at) from lake.sessions) - interval 24 hours then 'open'
        when ending = 'mid_turn' then 'crashed'
        else 'finished'
    end as state,
    agent_version,
    context_limit,
    flags
from lake.sessions
