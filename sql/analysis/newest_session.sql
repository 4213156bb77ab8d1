-- Which session was worked in last, in one folder and those below it or anywhere; sub-agents are not resumed.
-- reads: sessions
-- params: cwd text null
-- grain: session, one at most
select
    session_id,
    cwd,
    ended_at
from sessions
where relation is distinct from 'subagent' and ($cwd::varchar is null or cwd = $cwd or starts_with(cwd, $cwd || '/'))
order by ended_at desc nulls last, session_id
limit 1
