-- Rows of `compactions`.
-- reads: told_compactions, told_items, session_calls, homes
-- grain: compaction
select
    told.id as compaction_id, told.session_id,
    (
        select count(*) from session_calls as before where before.session_id = told.session_id and before.place < told.place
    ) as request_no,
    told.at, told.trigger, told.tokens_before, told.tokens_after, told.items_removed,
    coalesce(items.id, told.summary_item_id) as summary_item_id
from told_compactions as told
inner join homes on homes.what = 'compaction' and homes.id = told.id and homes.home = told.session_id
left join told_items as items on items.session_id = told.session_id and items.seen_id = told.summary_item_id
qualify row_number() over (partition by told.id order by told.place, told.ordinal) = 1
order by told.session_id, request_no, compaction_id
