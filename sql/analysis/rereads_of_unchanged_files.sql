-- Which files were read again with the same arguments and no edit in between, what the copy cost, and was the first still
-- there?
-- reads: sessions, archive, items, requests, residency
-- params: session text null, agent text null, project text null, since date null, days integer null, only_same boolean true, top integer 50
-- grain: read that repeats an earlier one of its session
-- `still_held`: the earlier result stood whole in the prompt of the call that read again, so the copy is pure waste; false: it
-- had left, as after a compaction. `is_same` false (shown with only_same=false): the result differs, so the file was possibly
-- changed by a shell command or by hand. Edits are calls of the category edit that name the path.
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
reads as (
    select
        session_id,
        seq,
        item_id,
        call_id,
        request_id,
        turn,
        tool_name,
        path,
        lag(seq) over same as earlier_seq,
        lag(call_id) over same as earlier_call_id,
        lag(turn) over same as earlier_turn
    from items
    semi join chosen using (session_id)
    where kind = 'tool_call' and tool_category = 'read' and path is not null
    window same as (
        partition by session_id, coalesce(is_sidechain, false), path, tool_name, text_sha256 order by seq, item_id
    )
    qualify earlier_seq is not null
),
edits as (
    select session_id, path, seq
    from items
    where kind = 'tool_call' and tool_category = 'edit'
),
again as (
    select *
    from reads
    where not exists (
        select 1
        from edits
        where
            edits.session_id = reads.session_id and edits.path = reads.path
            and edits.seq between reads.earlier_seq and reads.seq
    )
),
compared as (
    select session_id, call_id
    from again
    union
    select session_id, earlier_call_id
    from again
),
results as (
    select session_id, call_id, item_id, seq, tokens, text_sha256
    from items
    semi join compared using (session_id, call_id)
    where kind = 'tool_result'
),
contents as (
    select
        session_id,
        call_id,
        sum(tokens) as content_tokens,
        string_agg(text_sha256, ' ' order by seq, item_id) as sha256
    from results
    group by session_id, call_id
),
stays as (
    select
        results.session_id,
        results.call_id,
        residency.first_request_no,
        residency.last_request_no,
        residency.form,
        residency.requests,
        residency.token_requests,
        residency.cost_usd
    from residency
    inner join results using (session_id, item_id)
),
carried as (
    select session_id, call_id, sum(requests) as requests, sum(token_requests) as token_requests, sum(cost_usd) as cost_usd
    from stays
    group by session_id, call_id
),
held as (
    select
        again.item_id,
        bool_or(coalesce(requests.request_no between stays.first_request_no and stays.last_request_no, false)) as still_held
    from again
    inner join requests using (session_id, request_id)
    left join stays
        on stays.session_id = again.session_id and stays.call_id = again.earlier_call_id and stays.form = 'full'
    group by again.item_id
)
select
    again.session_id,
    sessions.project,
    again.path,
    again.tool_name,
    again.earlier_turn,
    again.turn,
    requests.request_no,
    coalesce(copy.content_tokens, 0)::bigint as content_tokens,
    coalesce(carried.requests, 0)::bigint as requests_held,
    coalesce(carried.token_requests, 0)::bigint as token_requests,
    carried.cost_usd,
    copy.sha256 = earlier.sha256 as is_same,
    held.still_held
from again
left join sessions on sessions.session_id = again.session_id
left join requests on requests.session_id = again.session_id and requests.request_id = again.request_id
left join contents as copy on copy.session_id = again.session_id and copy.call_id = again.call_id
left join contents as earlier on earlier.session_id = again.session_id and earlier.call_id = again.earlier_call_id
left join carried on carried.session_id = again.session_id and carried.call_id = again.call_id
left join held on held.item_id = again.item_id
where not $only_same::boolean or copy.sha256 = earlier.sha256
order by carried.cost_usd desc nulls last, token_requests desc, content_tokens desc, again.session_id, again.seq, again.item_id
limit $top
