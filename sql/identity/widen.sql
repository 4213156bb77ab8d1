-- Sessions that share an item, a call or a link with a touched one: their identity may change with it.
-- reads: seen_sessions, seen_requests, seen_items, touched
-- grain: session
create or replace temp table ties as
select distinct session_id, 'item ' || item_id as tie from lake.seen_items
union
select distinct session_id, 'call ' || request_id from lake.seen_requests
union
select distinct session_id, 'call ' || call_key from lake.seen_requests where call_key is not null
union
select session_id, 'session ' || session_id from lake.seen_sessions
union
select session_id, 'session ' || parent_session_id from lake.seen_sessions where parent_session_id is not null
union
select session_id, 'record ' || parent_ref from lake.seen_sessions where parent_ref is not null
union
select session_id, 'record ' || native_id from lake.seen_items
where native_id in (select parent_ref from lake.seen_sessions where parent_ref is not null)
union
select session_id, 'copy ' || content_key
from lake.seen_items
where content_key in (
    select items.content_key
    from lake.seen_items as items
    inner join lake.seen_sessions as forks using (session_id, source_id, generation)
    where forks.relation = 'fork' and forks.parent_session_id is null
)
