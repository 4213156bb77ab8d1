-- Where every item stands in every session that tells it: position, turn, call, epoch.
-- reads: told_items, told_requests, told_compactions, session_calls, homes
-- grain: session x item
-- `request_no` is the call that made the item, or for what went into the window the first call that could see it.
create or replace temp table events as
select
    session_id, place, 0 as is_item, -1 as ordinal, id, null as seen_id, null::boolean as starts_turn, null as request_id,
    1 as calls, 0 as epochs
from session_calls
union all
select session_id, place, 0, ordinal, id, seen_id, null, null, 0, 1 from told_compactions
union all
select session_id, place, 1, ordinal, id, seen_id, starts_turn, request_id, 0, 0 from told_items;

create or replace temp table places as
with running as (
    select
        session_id, id, seen_id, is_item, request_id,
        row_number() over so_far as event_no,
        sum(case when starts_turn then 1 else 0 end) over so_far as turn,
        sum(calls) over so_far as calls_before,
        sum(epochs) over so_far as epoch
    from events
    window so_far as (
        partition by session_id order by place, is_item, ordinal rows between unbounded preceding and current row
    )
)
select
    running.session_id, running.id as item_id, running.seen_id,
    row_number() over (partition by running.session_id order by running.event_no) - 1 as position,
    running.turn::bigint as turn, running.epoch::bigint as epoch,
    coalesce(made.request_no, running.calls_before + 1)::bigint as request_no,
    told.on_path, told.in_context, homes.home <> running.session_id as inherited, homes.home
from running
inner join told_items as told on told.session_id = running.session_id and told.seen_id = running.seen_id
inner join homes on homes.what = 'item' and homes.id = running.id
left join (select distinct session_id, seen_id, id from told_requests) as call_ids
    on call_ids.session_id = running.session_id and call_ids.seen_id = running.request_id
left join session_calls as made on made.session_id = running.session_id and made.id = call_ids.id
where running.is_item = 1
qualify row_number() over (partition by running.session_id, running.id order by running.event_no) = 1;

-- A branch that was left is named by its first item, and goes on from another: in numbers, their positions in the session.
alter table places add column branch bigint;
alter table places add column branch_after bigint;
update places
set branch = first.position, branch_after = above.position
from told_items as told
inner join places as first on first.session_id = told.session_id and first.seen_id = told.branch
left join places as above on above.session_id = told.session_id and above.seen_id = told.branch_after
where told.branch is not null and not told.on_path and places.session_id = told.session_id and places.seen_id = told.seen_id;
