-- Which calls paid the most for a prefix that was sent before, why, and how long the session had been idle.
-- reads: sessions, archive, cache_misses, requests
-- params: session text null, agent text null, project text null, since date null, days integer null, top integer 20
-- grain: call that paid for a prefix again
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
        request_id,
        "at",
        model,
        prompt_tokens,
        cache_read_tokens,
        lag("at") over before as at_before,
        lag(model) over before as model_before
    from requests
    semi join chosen using (session_id)
    window before as (partition by session_id, coalesce(is_sidechain, false) order by request_no, request_id)
)
select
    misses.session_id,
    misses.request_no,
    calls.at,
    misses.cause,
    round(epoch(calls.at - calls.at_before) / 60, 1) as minutes_idle,
    calls.model,
    calls.model_before,
    calls.prompt_tokens,
    calls.cache_read_tokens,
    misses.tokens_repaid,
    misses.cost_usd
from cache_misses as misses
inner join calls using (session_id, request_id)
order by misses.cost_usd desc nulls last, misses.tokens_repaid desc, misses.session_id, misses.request_no, misses.request_id
limit $top
