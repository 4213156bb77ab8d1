-- What each touched session tells, every item, call and compaction once per session and in the session's own order.
-- reads: seen_sessions, seen_items, seen_requests, seen_compactions, touched
-- grain: session x item, session x call, session x compaction
-- A session may lie in several files (slices, re-exports): they follow each other by their first time, and inside a
-- file the order of lines holds, or the one its reader gives (`place` in documents, folders and databases), never the clock.
-- `place` is that order as one number. Of the generations of one file the newest that tells a thing tells it.
create or replace temp table slices as
select
    session_id, source_id, generation,
    row_number() over (partition by session_id order by first_at nulls last, source_id, generation) << 40 as slice,
    -- The log that tells the latest knows best which branch was left.
    row_number() over (partition by session_id order by ended_at nulls first, first_at nulls last, source_id, generation)
        as recency
from lake.seen_sessions
where session_id in (select session_id from touched);

-- A log that says everything again says nothing any more of what its newest generation leaves out: that is off the path.
create or replace temp table said_again as
select source_id, max(generation) as newest
from lake.sources
where form in ('document', 'folder', 'database') and prefix_hash is not null
group by source_id;

create or replace temp table latest_items as
select
    seen.session_id, seen.item_id, seen.source_id, seen.generation, seen.ordinal, seen.line_no, seen.place, seen.native_id,
    seen.kind,
    seen.starts_turn, seen.request_id, seen.in_context, seen.is_replay, seen.content_key, seen.at,
    seen.on_path and (said_again.newest is null or seen.generation = said_again.newest) as on_path,
    seen.branch, seen.branch_after
from lake.seen_items as seen
left join said_again using (source_id)
where seen.session_id in (select session_id from touched)
qualify seen.generation = max(seen.generation) over (partition by seen.session_id, seen.item_id, seen.source_id);

create or replace temp table told_items as
select
    seen.session_id, seen.item_id as seen_id, seen.item_id as id,
    slices.slice + coalesce(nullif(seen.place, 0), seen.line_no) as place, seen.ordinal,
    seen.source_id, seen.generation, seen.native_id, seen.kind, seen.starts_turn, seen.request_id, seen.in_context,
    seen.is_replay, seen.content_key, seen.at,
    last_value(seen.on_path) over latest_log as on_path, last_value(seen.branch) over latest_log as branch,
    last_value(seen.branch_after) over latest_log as branch_after
from latest_items as seen
inner join slices using (session_id, source_id, generation)
window latest_log as (
    partition by seen.session_id, seen.item_id order by slices.recency, seen.ordinal
    rows between unbounded preceding and unbounded following
)
qualify row_number() over (partition by seen.session_id, seen.item_id order by slices.slice, seen.ordinal) = 1;

create or replace temp table told_requests as
select
    seen.* exclude (request_id, source_id, generation, ordinal, line_no, place, commit),
    seen.request_id as seen_id, seen.request_id as id,
    slices.slice + coalesce(nullif(seen.place, 0), seen.line_no) as place, seen.ordinal
from lake.seen_requests as seen
inner join slices using (session_id, source_id, generation)
qualify seen.generation = max(seen.generation) over (partition by seen.session_id, seen.request_id, seen.source_id);

create or replace temp table told_compactions as
select
    seen.* exclude (compaction_id, source_id, generation, ordinal, line_no, place, commit),
    seen.compaction_id as seen_id, seen.compaction_id as id,
    slices.slice + coalesce(nullif(seen.place, 0), seen.line_no) as place, seen.ordinal
from (
    from lake.seen_compactions
    qualify generation = max(generation) over (partition by session_id, compaction_id, source_id)
) as seen
inner join slices using (session_id, source_id, generation)
qualify row_number() over (partition by seen.session_id, seen.compaction_id order by slices.slice, seen.ordinal) = 1;

-- A side question repeats its parent's answer under another call id: the call on the main chain is the paid one. And the
-- id of a gateway's call names its session, as does that of a fork's copies under new ids (OpenCode): all take the id that the
-- session which began first gives the call.
update told_requests as copied
set id = main.id
from (
    with births as (
        select session_id, min(started_at) as born_at
        from lake.seen_sessions
        where session_id in (select session_id from touched)
        group by session_id
    )
    select
        told.call_key,
        coalesce(
            arg_min(told.id, (births.born_at, told.id)) filter (where not told.is_sidechain),
            arg_min(told.id, (births.born_at, told.id))
        ) as id
    from told_requests as told
    inner join births using (session_id)
    where told.call_key is not null
    group by told.call_key
) as main
where copied.call_key = main.call_key and (copied.is_sidechain or not contains(copied.id, copied.call_key));
