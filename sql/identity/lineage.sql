-- Who says to come from whom, and how deep below its oldest present ancestor each session stands.
-- reads: seen_sessions, touched
-- grain: session
create or replace temp table named_parents as
select session_id, min(parent_session_id) as parent, min(relation) as relation
from lake.seen_sessions
where session_id in (select session_id from touched) and parent_session_id is not null and parent_session_id <> session_id
group by session_id;

create or replace temp table ancestors as
with recursive up(session_id, ancestor, depth) as (
    select session_id, parent, 1 from named_parents
    union all
    select up.session_id, next.parent, up.depth + 1
    from up inner join named_parents as next on next.session_id = up.ancestor
    where up.depth < 64
)
select session_id, ancestor, min(depth) as depth from up where ancestor <> session_id group by session_id, ancestor;

create or replace temp table present_parents as
select named.session_id, named.parent, coalesce(named.relation, '') as relation, count(above.ancestor) as depth
from named_parents as named
left join ancestors as above
    on above.session_id = named.session_id and above.ancestor in (select session_id from slices)
where named.parent in (select session_id from slices)
group by named.session_id, named.parent, named.relation;
