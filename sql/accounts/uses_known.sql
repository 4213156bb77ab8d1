-- What the accounts of some sessions already say of the use of their items, which hold it on each of their stays.
-- reads: residency
-- params: sessions text[]
-- grain: session x chain x item
select
    session_id,
    is_sidechain,
    item_id,
    any_value(later_uses) as later_uses,
    any_value(last_used_request_no) as last_used_request_no
from residency
where list_contains($sessions, session_id) and later_uses is not null
group by session_id, is_sidechain, item_id
order by session_id, is_sidechain, item_id
