-- Which prompts set off the most work: calls and content tokens of a turn, with the beginning of what was asked.
-- reads: items, sessions
-- params: top integer 20
-- grain: session x turn
with longest as (
    select session_id, turn, coalesce(sum(tokens), 0)::bigint as content_tokens
    from items
    where turn is not null
    group by session_id, turn
    order by content_tokens desc, session_id, turn
    limit $top
),
work as (
    select session_id, turn, count(distinct request_id) as requests, count(*) filter (where kind = 'tool_call') as tool_calls
    from items
    semi join longest using (session_id, turn)
    group by session_id, turn
),
prompts as (
    select session_id, turn, arg_min(left(text, 200), seq) as prompt_start
    from items
    semi join longest using (session_id, turn)
    where kind = 'user_text' and starts_turn
    group by session_id, turn
)
select
    longest.session_id,
    sessions.project,
    longest.turn,
    work.requests,
    work.tool_calls,
    longest.content_tokens,
    prompts.prompt_start
from longest
left join work using (session_id, turn)
left join prompts using (session_id, turn)
left join sessions using (session_id)
order by content_tokens desc, longest.session_id, longest.turn
