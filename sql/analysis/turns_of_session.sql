-- How a session went, turn by turn: what was asked, and the calls, tokens, money and time it took; of many turns, the largest.
-- reads: placements, items, requests
-- params: session text, top integer 60
-- grain: turn
with told as (
    select placements.turn, placements.position, placements.inherited, items.* exclude (turn, session_id)
    from placements
    join items using (item_id)
    where placements.session_id = $session
),
by_item as (
    select
        turn,
        count(*) filter (where kind = 'tool_call') as tool_calls,
        sum(tokens)::bigint as content_tokens,
        min("at") as first_at,
        max("at") as last_at,
        left(first(text order by position) filter (where kind = 'user_text' and starts_turn), 200) as prompt_start
    from told
    where turn is not null and not inherited
    group by turn
),
turn_of_call as (
    select request_id, max(turn) as turn from told where request_id is not null group by request_id
),
-- A call that left nothing in the log belongs to the turn that was going on.
calls as (
    select
        requests.*,
        last_value(turn_of_call.turn ignore nulls) over (order by requests.request_no, requests.request_id) as turn
    from requests
    left join turn_of_call using (request_id)
    where requests.session_id = $session
),
by_call as (
    select
        turn,
        count(*) as requests,
        min(request_no) as first_request_no,
        sum(prompt_tokens)::bigint as prompt_tokens,
        max(prompt_tokens) as largest_prompt_tokens,
        sum(output_tokens)::bigint as output_tokens,
        sum(cost_usd) as cost_usd,
        count(*) filter (where cost_origin = 'unpriced') as requests_unpriced,
        max("at") as last_at
    from calls
    group by turn
),
largest as (
    select
        coalesce(by_item.turn, by_call.turn) as turn,
        by_item.prompt_start,
        by_item.first_at as started_at,
        date_diff('second', by_item.first_at, greatest(by_item.last_at, by_call.last_at)) as seconds,
        coalesce(by_call.requests, 0) as requests,
        by_call.first_request_no,
        coalesce(by_item.tool_calls, 0) as tool_calls,
        by_call.prompt_tokens,
        by_call.largest_prompt_tokens,
        by_call.output_tokens,
        by_item.content_tokens,
        by_call.cost_usd,
        coalesce(by_call.requests_unpriced, 0) as requests_unpriced,
        count(*) over () as turns
    from by_item
    full join by_call on by_call.turn is not distinct from by_item.turn
    order by coalesce(by_call.prompt_tokens, 0) desc, by_item.content_tokens desc nulls last, turn
    limit $top
)
select * from largest
order by turn nulls first
