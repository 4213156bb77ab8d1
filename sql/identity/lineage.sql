-- Who says to come from whom, and how deep below its oldest present ancestor each session stands.
-- reads: seen_sessions, touched, slices, told_items, told_requests
-- grain: session
-- A fork that does not say whose it is (OpenCode) is of the older session that tells most of its items: their keys hold times.
create or replace temp table found_parents as
with births as (
    select
        session_id, min(started_at) as born_at,
        bool_or(relation = 'fork') and count(parent_session_id) = 0 as is_nameless
    from lake.seen_sessions
    where session_id in (select session_id from touched)
    group by session_id
)
select births.session_id, older.session_id as parent
from births
inner join told_items as mine on mine.session_id = births.session_id
inner join told_items as theirs on theirs.content_key = mine.content_key
inner join births as older on older.session_id = theirs.session_id
where births.is_nameless and (older.born_at, older.session_id) < (births.born_at, births.session_id)
group by births.session_id, older.session_id
qualify row_number() over (
    partition by births.session_id order by count(distinct mine.content_key) desc, any_value(older.born_at), older.session_id
) = 1;

create or replace temp table named_parents as
select session_id, min(parent_session_id) as parent, arg_min(relation, parent_session_id) as relation
from lake.seen_sessions
where session_id in (select session_id from touched) and parent_session_id is not null and parent_session_id <> session_id
group by session_id
union all
select session_id, parent, 'fork' from found_parents;

create or replace temp table ancestors as
with recursive up(session_id, ancestor, depth) as (
    select session_id, parent, 1 from named_parents
    union all
    select up.session_id, next.parent, up.depth + 1
    from up inner join named_parents as next on next.session_id = up.ancestor
    where up.depth < 64
)
select session_id, ancestor, min(depth) as depth from up where ancestor <> session_id group by session_id, ancestor;

-- A copy of an absent parent's history may also be in others: in the grandparent's log, or in those of other children. Of the
-- same family, as a common id shows, the one with most of the same calls stands in, whatever id it gives them; of children
-- the first by name, so that two never stand in for each other.
create or replace temp table stand_ins as
with orphans as (
    select session_id, relation from named_parents where parent not in (select session_id from slices)
),
below_orphans as (
    select session_id from ancestors where ancestor in (select session_id from orphans)
)
select orphans.session_id, theirs.session_id as parent, any_value(orphans.relation) as relation
from orphans
inner join told_requests as mine on mine.session_id = orphans.session_id and mine.is_replay
inner join told_requests as theirs on theirs.content_key = mine.content_key
where theirs.session_id not in (select session_id from below_orphans)
    and (theirs.session_id < orphans.session_id or theirs.session_id not in (select session_id from orphans))
    and theirs.session_id <> orphans.session_id
group by orphans.session_id, theirs.session_id
having bool_or(theirs.id = mine.id)
qualify row_number() over (
    partition by orphans.session_id order by count(distinct mine.content_key) desc, theirs.session_id
) = 1;

create or replace temp table present_parents as
with recursive links as (
    select session_id, parent, coalesce(relation, '') as relation, false as is_stand_in
    from named_parents
    where parent in (select session_id from slices)
    union all
    select session_id, parent, coalesce(relation, ''), true from stand_ins
),
up(session_id, ancestor, depth) as (
    select session_id, parent, 1 from links
    union all
    select up.session_id, links.parent, up.depth + 1
    from up inner join links on links.session_id = up.ancestor
    where up.depth < 64
)
select links.session_id, links.parent, links.relation, links.is_stand_in, max(up.depth) as depth
from links
inner join up using (session_id)
group by links.session_id, links.parent, links.relation, links.is_stand_in;
