-- Which of the sessions that share an item, a call or a compaction is its home.
-- reads: told_items, told_requests, told_compactions, ancestors
-- grain: id
-- Home is the ancestor that the log names; else the session that most of the others contain wholly; else the one whose own
-- part begins first. It is decided once per set of sharing sessions, from content alone: order of files and nights plays no
-- part. Most and not all: what a resume copies whole, a fork beside it copies in part.
create or replace temp table sharing as
select 'item' as what, id, list(distinct session_id order by session_id) as sessions from told_items group by id
union all
select 'request', id, list(distinct session_id order by session_id) from told_requests group by id
union all
select 'compaction', id, list(distinct session_id order by session_id) from told_compactions group by id;

create or replace temp table sharing_sets as
select sessions, count(*) filter (where what = 'item') as items from sharing where len(sessions) > 1 group by sessions;

create or replace temp table containment as
with pairs as (
    select a.session_id as a, b.session_id as b, sum(a.items) as shared
    from (select sessions, items, unnest(sessions) as session_id from sharing_sets) as a
    inner join (select sessions, unnest(sessions) as session_id from sharing_sets) as b using (sessions)
    where a.session_id <> b.session_id
    group by a.session_id, b.session_id
),
sizes as (
    select session_id, count(distinct id) as items from told_items group by session_id
)
select pairs.a, pairs.b from pairs inner join sizes on sizes.session_id = pairs.a where pairs.shared = sizes.items;

create or replace temp table own_starts as
select told.session_id, min(told.at) as own_at
from told_items as told
inner join sharing on sharing.what = 'item' and sharing.id = told.id and len(sharing.sessions) = 1
group by told.session_id;

create or replace temp table set_homes as
with candidates as (
    select sessions, unnest(sessions) as session_id from sharing_sets
),
judged as (
    select
        candidates.sessions, candidates.session_id,
        count(ancestors.ancestor) as descendants, count(containment.a) as containers
    from candidates
    inner join candidates as other on other.sessions = candidates.sessions and other.session_id <> candidates.session_id
    left join ancestors on ancestors.session_id = other.session_id and ancestors.ancestor = candidates.session_id
    left join containment on containment.a = candidates.session_id and containment.b = other.session_id
    group by candidates.sessions, candidates.session_id
)
select judged.sessions, judged.session_id as home
from judged
left join own_starts using (session_id)
qualify row_number() over (
    partition by judged.sessions
    order by
        judged.descendants = len(judged.sessions) - 1 desc,
        judged.containers desc,
        own_starts.own_at nulls last,
        judged.session_id
) = 1;

create or replace temp table homes as
select sharing.what, sharing.id, coalesce(set_homes.home, sharing.sessions[1]) as home
from sharing
left join set_homes using (sessions);
