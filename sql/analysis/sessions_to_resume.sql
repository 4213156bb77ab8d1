-- Which sessions somebody may come back to: open or crashed ones that no later one continues, newest first, with the last
-- prompt.
-- reads: sessions, items
-- params: top integer 50
-- grain: session
with prompts as (
    select session_id, count(*) as prompts, arg_max(left(text, 200), seq) as last_prompt_start
    from items
    where kind = 'user_text' and starts_turn
    group by session_id
)
select
    session_id,
    sessions.agent,
    sessions.project,
    sessions.cwd,
    sessions.title,
    sessions.state,
    sessions.ended_at,
    coalesce(prompts, 0) as prompts,
    last_prompt_start
from sessions
left join prompts using (session_id)
where
    sessions.state <> 'finished'
    and sessions.relation is distinct from 'subagent'
    and not exists (
        select 1 from sessions as later
        where later.parent_session_id = sessions.session_id and later.relation in ('resume', 'continuation')
    )
order by sessions.ended_at desc nulls last, session_id
limit $top
