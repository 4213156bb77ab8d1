-- Rows of `sessions`.
-- reads: folded, parents, roots
-- grain: session
select
    folded.session_id, folded.agent, folded.native_id, folded.project, folded.cwd, folded.git_branch, folded.git_commit,
    folded.title, folded.started_at, folded.ended_at, parents.parent as parent_session_id, parents.relation, folded.ending,
    folded.agent_version, folded.context_limit,
    case when parents.is_unresolved then list_sort(list_append(folded.flags, 'lineage_unresolved')) else folded.flags end as flags,
    parents.parent_item_id, roots.lineage_id
from folded
inner join parents using (session_id)
inner join roots using (session_id)
order by folded.session_id
