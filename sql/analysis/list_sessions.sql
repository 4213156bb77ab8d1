-- Which sessions there are, newest first, with the calls and tokens that each one took; untitled ones by their first prompt.
-- reads: sessions, requests, items
-- params: cwd text null, agent text null, since date null, top integer 50
-- grain: session
with calls as (
    select
        session_id,
        count(*) as requests,
        coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
        coalesce(sum(output_tokens), 0)::bigint as output_tokens
    from requests
    group by session_id
),
prompts as (
    select session_id, arg_min(left(text, 200), seq) as first_prompt_start
    from items
    where kind = 'user_text' and starts_turn
    group by session_id
)
select
    session_id,
    state,
    relation,
    ended_at,
    coalesce(requests, 0) as requests,
    coalesce(prompt_tokens, 0) as prompt_tokens,
    coalesce(output_tokens, 0) as output_tokens,
    cwd,
    coalesce(title, first_prompt_start) as title
from sessions
left join calls using (session_id)
left join prompts using (session_id)
where
    ($cwd::varchar is null or cwd = $cwd or starts_with(cwd, $cwd || '/'))
    and ($agent::varchar is null or agent = $agent)
    and ($since::date is null or ended_at >= $since)
order by ended_at desc nulls last, session_id
limit $top
