-- One row per session over all its files: who it is, when it ran, which session it comes from.
-- reads: seen_sessions, slices, places, containment, told_items
-- grain: session
-- A parent is the one the log names, else the session of the record it says to continue, else where its inherited items live.
create or replace temp table folded as
select
    seen.session_id, any_value(seen.agent) as agent, any_value(seen.native_id) as native_id,
    arg_min(seen.project, slices.slice) as project, arg_min(seen.cwd, slices.slice) as cwd,
    arg_max(seen.git_branch, slices.slice) as git_branch, arg_max(seen.git_commit, slices.slice) as git_commit,
    arg_max(seen.title, slices.slice) as title, min(seen.started_at) as started_at, max(seen.ended_at) as ended_at,
    min(seen.parent_session_id) as named_parent, arg_min(seen.parent_ref, slices.slice) as parent_ref,
    arg_min(seen.relation, slices.slice) as relation, arg_max(seen.ending, slices.slice) as ending,
    arg_max(seen.agent_version, slices.slice) as agent_version, max(seen.context_limit) as context_limit,
    list_sort(list_distinct(flatten(list(coalesce(seen.flags, []::varchar[]))))) as flags
from lake.seen_sessions as seen
inner join slices using (session_id, source_id, generation)
group by seen.session_id;

create or replace temp table parents as
with referred as (
    select folded.session_id, places.home as parent, places.item_id as parent_item_id
    from folded
    inner join told_items as told on told.native_id = folded.parent_ref
    inner join places on places.session_id = told.session_id and places.seen_id = told.seen_id
    where places.home <> folded.session_id
    qualify row_number() over (partition by folded.session_id order by places.home, places.item_id) = 1
),
inherited as (
    select session_id, arg_max(home, position) as parent, arg_max(item_id, position) as parent_item_id
    from places
    where inherited
    group by session_id
)
select
    folded.session_id,
    coalesce(folded.named_parent, referred.parent, inherited.parent) as parent,
    coalesce(inherited.parent_item_id, referred.parent_item_id) as parent_item_id,
    case
        when folded.named_parent is not null then folded.relation
        when referred.parent is not null then 'continuation'
        when inherited.parent is null then folded.relation
        when containment.a is not null then 'resume'
        else 'fork'
    end as relation
from folded
left join referred using (session_id)
left join inherited using (session_id)
left join containment on containment.a = inherited.parent and containment.b = folded.session_id;

create or replace temp table roots as
with recursive up(session_id, ancestor, depth) as (
    select session_id, session_id, 0 from folded
    union all
    select up.session_id, parents.parent, up.depth + 1
    from up inner join parents on parents.session_id = up.ancestor
    where parents.parent is not null and up.depth < 64
)
select session_id, arg_max(ancestor, depth) as lineage_id from up group by session_id;
