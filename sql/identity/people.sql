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
-- Slices of one session refer to each other; that makes nobody a parent.
own as (
    select distinct folded.session_id
    from folded
    inner join told_items as told on told.session_id = folded.session_id and told.native_id = folded.parent_ref
),
inherited as (
    select session_id, arg_max(home, position) as parent, arg_max(item_id, position) as parent_item_id
    from places
    where inherited
    group by session_id
),
-- A call says by its flag which sub-agent it ran.
spawned as (
    select folded.session_id, min(told.id) as item_id
    from folded
    inner join told_items as told on told.session_id = folded.named_parent and told.kind = 'tool_call'
    inner join lake.seen_items as seen using (source_id, generation, ordinal)
    where folded.relation = 'subagent' and list_contains(seen.flags, 'agent:' || split_part(folded.native_id, '/', -1))
    group by folded.session_id
)
select
    folded.session_id,
    coalesce(folded.named_parent, referred.parent, inherited.parent) as parent,
    coalesce(inherited.parent_item_id, referred.parent_item_id, spawned.item_id) as parent_item_id,
    case
        when folded.named_parent is not null then folded.relation
        when referred.parent is not null then 'continuation'
        when inherited.parent is null and own.session_id is not null then null
        when inherited.parent is null or folded.relation = 'fork' then folded.relation
        when containment.a is not null then 'resume'
        else 'fork'
    end as relation,
    (folded.named_parent is not null and folded.named_parent not in (select session_id from folded))
        or (folded.parent_ref is not null and coalesce(referred.parent, inherited.parent, own.session_id) is null) as is_unresolved
from folded
left join referred using (session_id)
left join own using (session_id)
left join inherited using (session_id)
left join spawned using (session_id)
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
