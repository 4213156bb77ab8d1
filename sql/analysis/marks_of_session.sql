-- What happened to a session's window, and when: compactions, cleared results, inferred removals, moves of the overhead.
-- reads: compactions, placements, items, residency, reconciliation
-- params: session text
-- grain: event
with calls as (
    select
        request_no,
        overhead_cause,
        removal_rule,
        overhead_tokens - lag(overhead_tokens) over chain as overhead_change,
        lag(request_no) over chain as request_no_before
    from reconciliation
    where session_id = $session
    window chain as (partition by is_sidechain order by request_no, request_id)
),
removed as (
    select last_request_no, count(*) as items, sum(tokens_calibrated)::bigint as tokens
    from residency
    where session_id = $session and inferred
    group by last_request_no
),
cleared as (
    select first_request_no, count(*) as items
    from residency
    where session_id = $session and form = 'cleared'
    group by first_request_no
),
events as (
    select request_no, 'compaction' as event, trigger as cause, items_removed as items, tokens_before - tokens_after as tokens
    from compactions
    where session_id = $session
    union all
    select placements.request_no, 'microcompaction', null, any_value(cleared.items), null
    from placements
    join items using (item_id)
    left join cleared on cleared.first_request_no = placements.request_no
    where placements.session_id = $session and list_contains(items.flags, 'microcompact')
    group by placements.request_no
    union all
    select calls.request_no, 'removal', calls.removal_rule, removed.items, removed.tokens
    from calls
    left join removed on removed.last_request_no = calls.request_no_before
    where calls.removal_rule is not null
    union all
    select request_no, 'overhead', overhead_cause, null, overhead_change
    from calls
    where overhead_cause <> 'start'
)
select event, request_no, cause, items, tokens
from events
order by request_no, event, cause, tokens
