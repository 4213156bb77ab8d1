-- What a session's window held at each call, by kind of item, with overhead and residual; of many calls, the fullest of each stretch.
-- reads: reconciliation, residency, items
-- params: session text, points integer 400
-- grain: call x kind of item, or overhead, residual
with told as (
    -- The conversation; a sub-agent's log holds a side chain alone.
    select request_no, request_id, is_sidechain, prompt_tokens, overhead_tokens, residual_tokens
    from reconciliation
    where session_id = $session
    qualify is_sidechain = bool_and(is_sidechain) over ()
),
numbered as (
    select
        *,
        row_number() over (order by request_no, request_id) as place,
        count(*) over () as calls
    from told
),
calls as (
    select *
    from numbered
    qualify row_number() over (
        partition by case when calls <= $points then place else (place - 1) * $points // calls end
        order by prompt_tokens desc, place
    ) = 1
),
changes as (
    select items.kind, residency.first_request_no as request_no, residency.tokens_calibrated as tokens
    from residency
    join items using (item_id)
    where residency.session_id = $session and residency.is_sidechain = (select any_value(is_sidechain) from told)
    union all
    select items.kind, residency.last_request_no + 1, -residency.tokens_calibrated
    from residency
    join items using (item_id)
    where residency.session_id = $session and residency.is_sidechain = (select any_value(is_sidechain) from told)
),
levels as (
    select kind, request_no, sum(sum(tokens)) over (partition by kind order by request_no)::bigint as tokens
    from changes
    group by kind, request_no
),
wanted as (
    select calls.request_no, kinds.kind
    from calls
    cross join (select distinct kind from changes) as kinds
),
held as (
    select wanted.request_no, wanted.kind, coalesce(levels.tokens, 0) as tokens
    from wanted
    asof left join levels on wanted.kind = levels.kind and wanted.request_no >= levels.request_no
)
select request_no, kind, tokens from held
union all
select request_no, 'overhead' as kind, overhead_tokens from calls
union all
select request_no, 'residual' as kind, residual_tokens from calls
order by request_no, kind
