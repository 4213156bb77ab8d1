-- How often contexts were compacted, on what, how much that freed, and how much of it was read again in the next 20 calls.
-- reads: sessions, archive, compactions, requests, items
-- params: session text null, agent text null, project text null, since date null, days integer null
-- grain: trigger x agent x model
-- Tokens are those of the prompts before and after, as the provider counted them. What came back: calls with the same
-- arguments as one before the compaction, of tools that read or search.
with chosen as (
    select session_id, agent
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
        request_no,
        request_id,
        model,
        prompt_tokens,
        lead(prompt_tokens) over following as prompt_tokens_after
    from requests
    semi join chosen using (session_id)
    where not coalesce(list_contains(flags, 'sum_of_calls'), false) and not coalesce(is_sidechain, false)
    window following as (partition by session_id order by request_no, request_id)
),
found as (
    select compaction_id, session_id, request_no, trigger, tokens_before
    from compactions
    semi join chosen using (session_id)
),
-- The last call before each compaction.
before as (
    select found.*, calls.model, calls.prompt_tokens, calls.prompt_tokens_after
    from found
    asof left join calls on calls.session_id = found.session_id and calls.request_no <= found.request_no
),
lookups as (
    select items.session_id, requests.request_no, items.text_sha256, items.tool_name, items.call_id
    from items
    inner join requests using (session_id, request_id)
    semi join found using (session_id)
    where items.kind = 'tool_call' and items.tool_category in ('read', 'search')
),
results as (
    select session_id, call_id, sum(tokens) as tokens
    from items
    semi join found using (session_id)
    where kind = 'tool_result'
    group by session_id, call_id
),
came_back as (
    select found.compaction_id, count(*) as lookups, sum(results.tokens) as tokens
    from found
    inner join lookups as later
        on
            later.session_id = found.session_id
            and later.request_no between found.request_no + 1 and found.request_no + 20
    left join results on results.session_id = later.session_id and results.call_id = later.call_id
    where exists (
        select 1
        from lookups as earlier
        where
            earlier.session_id = later.session_id
            and earlier.tool_name = later.tool_name
            and earlier.text_sha256 = later.text_sha256
            and earlier.request_no <= found.request_no
    )
    group by found.compaction_id
)
select
    coalesce(before.trigger, '(not named)') as trigger,
    chosen.agent,
    coalesce(before.model, '(not named)') as model,
    count(*) as compactions,
    count(distinct before.session_id) as sessions,
    round(avg(before.tokens_before))::bigint as mean_tokens_before_logged,
    round(avg(before.prompt_tokens))::bigint as mean_prompt_tokens_before,
    round(avg(before.prompt_tokens_after))::bigint as mean_prompt_tokens_after,
    round(
        1 - sum(before.prompt_tokens_after)
        / nullif(sum(before.prompt_tokens) filter (where before.prompt_tokens_after is not null), 0), 4
    ) as share_freed,
    coalesce(sum(came_back.lookups), 0)::bigint as lookups_that_came_back,
    coalesce(sum(came_back.tokens), 0)::bigint as content_tokens_that_came_back
from before
inner join chosen using (session_id)
left join came_back using (compaction_id)
group by 1, 2, 3
order by compactions desc, 1, 2, 3
