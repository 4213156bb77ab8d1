-- How sessions stand, by agent: finished, open or crashed; sub-agents apart, since nobody resumes one.
-- reads: sessions
-- params: none
-- grain: agent x state x is_subagent
select
    agent,
    state,
    relation is not distinct from 'subagent' as is_subagent,
    count(*) as sessions,
    min(started_at) as first_at,
    max(ended_at) as newest_at
from sessions
group by all
order by agent, state, is_subagent
