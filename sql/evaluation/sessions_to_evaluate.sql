-- Sessions whose contexts may have been large enough to try a policy on, newest first.
-- reads: sessions, placements, items
-- params: least integer 20000
-- grain: session
select
    sessions.session_id,
    coalesce(sessions.lineage_id, sessions.session_id) as lineage_id,
    sessions.agent,
    sum(items.tokens)::bigint as tokens
from sessions
join placements using (session_id)
join items using (item_id)
where placements.in_context
group by sessions.session_id, sessions.lineage_id, sessions.agent, sessions.ended_at
having sum(items.tokens) >= $least
order by sessions.ended_at desc nulls last, sessions.session_id
