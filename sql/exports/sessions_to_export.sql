-- Which sessions go out together: one and its sub-agents, theirs too, each after the one that ran it.
-- reads: sessions
-- params: session text
-- grain: session
with recursive down as (
    select session_id, 0 as depth from sessions where session_id = $session
    union all
    select children.session_id, down.depth + 1
    from down
    join sessions as children on children.parent_session_id = down.session_id and children.relation = 'subagent'
    -- A log can name its own descendant as parent.
    where down.depth < 20
)
select sessions.*, min(down.depth) as depth
from down
join sessions using (session_id)
group by all
order by depth, sessions.started_at nulls last, sessions.session_id
