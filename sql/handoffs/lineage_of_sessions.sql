-- Which sessions some sessions go back to, themselves first: their parents, the parents' parents, and so on to the root.
-- reads: sessions, placements, compactions
-- params: sessions text[]
-- grain: asked session x session of its lineage
with recursive chain as (
    select session_id as asked, session_id, parent_session_id, 0 as steps_back
    from sessions
    where list_contains($sessions, session_id)
    union all
    select chain.asked, parents.session_id, parents.parent_session_id, chain.steps_back + 1
    from chain
    join sessions as parents on parents.session_id = chain.parent_session_id
    -- A log can name its own descendant as parent; nobody resumes a hundred times.
    where chain.steps_back < 100
)
select
    chain.asked,
    chain.steps_back,
    sessions.*,
    -- A copied history is already in the session's own placements: its parent's items are not added again.
    copied.session_id is not null as has_inherited,
    coalesce(counted.compactions, 0) as compactions
from chain
join sessions using (session_id)
left join (select distinct session_id from placements where inherited) as copied using (session_id)
left join (select session_id, count(*) as compactions from compactions group by session_id) as counted using (session_id)
order by chain.asked, chain.steps_back
