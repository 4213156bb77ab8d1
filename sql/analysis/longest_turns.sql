-- Which prompts set off the most work: calls and content tokens of a turn, with the beginning of what was asked.
-- reads: items, sessions
-- params: top integer 20
-- grain: session x turn
with turns as (
    select
        session_id,
        turn,
        count(distinct request_id) as requests,
        count(*) filter (where kind = 'tool_call') as tool_calls,
        sum(tokens) as content_tokens,
        -- `first` without an order would depend on how the parts lie on disk.
        first(text order by seq) filter (where kind = 'user_text' and starts_turn) as prompt
    from items
    where turn is not null
    group by session_id, turn
)
select
    turns.session_id,
    sessions.project,
    turns.turn,
    turns.requests,
    turns.tool_calls,
    coalesce(turns.content_tokens, 0)::bigint as content_tokens,
    left(turns.prompt, 200) as prompt_start
from turns
left join sessions using (session_id)
order by content_tokens desc, turns.session_id, turns.turn
limit $top
