-- Same call, same answer: which calls were made again with the same arguments and gave the same result, with no edit in
-- between.
-- reads: sessions, archive, items, residency
-- params: session text null, agent text null, project text null, since date null, days integer null, top integer 50
-- grain: session x tool x arguments
-- Reads of files are in `rereads_of_unchanged_files`. An edit is any call of the category edit; what a shell command changed
-- is not known. Tokens and dollars are those of the repeated calls and their results, not of the first.
with chosen as (
    select session_id
    from sessions
    cross join archive
    where
        ($session::varchar is null or session_id = $session)
        and ($agent::varchar is null or agent = $agent)
        and ($project::varchar is null or project = $project)
        and ($since::date is null or ended_at >= $since)
        and ($days::integer is null or cast(ended_at as date) > newest_day - $days)
),
calls as (
    select
        session_id,
        seq,
        item_id,
        call_id,
        turn,
        tool_name,
        text_sha256,
        lag(seq) over same as earlier_seq,
        lag(call_id) over same as earlier_call_id,
        lag(turn) over same as earlier_turn
    from items
    semi join chosen using (session_id)
    where
        kind = 'tool_call'
        and call_id is not null
        and tool_category is distinct from 'edit'
        and tool_category is distinct from 'read'
    window same as (partition by session_id, coalesce(is_sidechain, false), tool_name, text_sha256 order by seq, item_id)
    qualify earlier_call_id <> call_id
),
edits as (
    select session_id, seq
    from items
    where kind = 'tool_call' and tool_category = 'edit'
),
again as (
    select *
    from calls
    where not exists (
        select 1
        from edits
        where edits.session_id = calls.session_id and edits.seq between calls.earlier_seq and calls.seq
    )
),
compared as (
    select session_id, call_id
    from again
    union
    select session_id, earlier_call_id
    from again
),
things as (
    select session_id, call_id, item_id, kind, seq, tokens, text_sha256
    from items
    semi join compared using (session_id, call_id)
    where kind in ('tool_call', 'tool_result')
),
answers as (
    select session_id, call_id, string_agg(text_sha256, ' ' order by seq, item_id) as sha256
    from things
    where kind = 'tool_result'
    group by session_id, call_id
),
stays as (
    select session_id, item_id, sum(token_requests) as token_requests, sum(cost_usd) as cost_usd
    from residency
    semi join things using (session_id, item_id)
    group by session_id, item_id
),
carried as (
    select
        things.session_id,
        things.call_id,
        sum(things.tokens) as content_tokens,
        sum(stays.token_requests) as token_requests,
        sum(stays.cost_usd) as cost_usd
    from things
    left join stays using (session_id, item_id)
    group by things.session_id, things.call_id
),
repeated as (
    select
        again.session_id,
        again.tool_name,
        again.text_sha256,
        min(again.earlier_turn) as first_turn,
        max(again.turn) as last_turn,
        min(again.item_id) as item_id,
        count(*) as repeats,
        coalesce(sum(carried.content_tokens), 0)::bigint as content_tokens,
        coalesce(sum(carried.token_requests), 0)::bigint as token_requests,
        sum(carried.cost_usd) as cost_usd
    from again
    inner join answers as answer on answer.session_id = again.session_id and answer.call_id = again.call_id
    inner join answers as earlier
        on
            earlier.session_id = again.session_id and earlier.call_id = again.earlier_call_id
            and earlier.sha256 = answer.sha256
    inner join carried on carried.session_id = again.session_id and carried.call_id = again.call_id
    group by again.session_id, again.tool_name, again.text_sha256
    order by cost_usd desc nulls last, token_requests desc, content_tokens desc, 1, 2, 3
    limit $top
)
select
    repeated.session_id,
    sessions.project,
    repeated.tool_name,
    left(items.text, 200) as arguments_start,
    repeated.first_turn,
    repeated.last_turn,
    repeated.repeats,
    repeated.content_tokens,
    repeated.token_requests,
    repeated.cost_usd
from repeated
inner join items using (item_id)
left join sessions on sessions.session_id = repeated.session_id
order by
    repeated.cost_usd desc nulls last, repeated.token_requests desc, repeated.content_tokens desc, repeated.session_id,
    repeated.tool_name, repeated.text_sha256
