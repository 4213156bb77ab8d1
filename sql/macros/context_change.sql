-- What entered and what left the window of a session between two of its calls, largest first.
-- reads: residency, items
-- params: session text, from_request integer, to_request integer
-- grain: item that only one of the two calls held
-- An item that the first call held in another form than the second (cleared, preview) both leaves and enters.
with stays as (
    select item_id, is_sidechain, form, first_request_no, last_request_no, tokens_calibrated
    from residency
    where session_id = $session
),
changes as (
    select 'entered' as change, now.item_id, now.form, now.first_request_no as at_request, now.tokens_calibrated as tokens
    from stays as now
    where
        $to_request between now.first_request_no and now.last_request_no
        and not exists (
            select 1
            from stays as before
            where
                before.item_id = now.item_id and before.is_sidechain = now.is_sidechain and before.form = now.form
                and $from_request between before.first_request_no and before.last_request_no
        )
    union all
    select 'left', before.item_id, before.form, before.last_request_no + 1, -before.tokens_calibrated
    from stays as before
    where
        $from_request between before.first_request_no and before.last_request_no
        and not exists (
            select 1
            from stays as now
            where
                now.item_id = before.item_id and now.is_sidechain = before.is_sidechain and now.form = before.form
                and $to_request between now.first_request_no and now.last_request_no
        )
)
select
    changes.change,
    changes.at_request,
    items.kind,
    items.turn,
    items.tool_name,
    items.path,
    changes.form,
    changes.tokens,
    changes.item_id
from changes
inner join items using (item_id)
order by abs(changes.tokens) desc, changes.item_id, changes.change
