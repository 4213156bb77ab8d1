-- Which sessions may get a handoff, with a hash of all that it would be made from; sub-agents and continued ones get none.
-- reads: sessions, placements, items, sources
-- params: none
-- grain: session
with contents as (
    select
        placements.session_id,
        md5(string_agg(
            concat_ws(':', placements.item_id, items.text_sha256, items.line_no, placements.turn, placements.on_path),
            ',' order by placements.position, placements.item_id
        )) as content_md5,
        count(*) filter (where items.kind = 'tool_call' and items.tool_category = 'plan') as plan_calls
    from placements
    join items using (item_id)
    group by placements.session_id
),
logs as (
    select session_id, string_agg(concat_ws(':', path, bytes), ',' order by path, bytes) as log_sizes
    from (
        select distinct items.session_id, sources.path, sources.bytes
        from items
        join sources using (source_id, generation)
    )
    group by session_id
)
select
    session_id,
    sessions.parent_session_id,
    sessions.state,
    sessions.ending,
    coalesce(plan_calls, 0) as plan_calls,
    md5(concat_ws('|', session_id, sessions.state, sessions.ending, sessions.title, sessions.cwd, sessions.git_branch,
        sessions.git_commit, sessions.relation, content_md5, log_sizes)) as input_md5,
    sessions.relation is not distinct from 'subagent' as is_subagent,
    exists (
        select 1 from sessions as later
        where later.parent_session_id = sessions.session_id and later.relation in ('resume', 'continuation')
    ) as is_continued
from sessions
left join contents using (session_id)
left join logs using (session_id)
order by session_id
