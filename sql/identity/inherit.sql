-- The leading rows of a session that repeat its parent's get the parent's ids: copies with new stamps have no id in common.
-- reads: {told}, present_parents
-- params: depth integer
-- grain: session x row
-- Only the longest common prefix counts: what differs once is the session's own from there on. A sub-agent that was started
-- fresh may open with the very words its parent opened with; there only rows that the file itself shows as copies count.
create or replace temp table inherited_ids as
with child as (
    select
        told.session_id, told.seen_id, told.content_key, parents.parent,
        row_number() over (partition by told.session_id order by told.place, told.ordinal) as n
    from {told} as told
    inner join present_parents as parents using (session_id)
    where parents.depth = $depth and told.content_key is not null and (parents.relation <> 'subagent' or told.is_replay)
),
parent as (
    select
        told.session_id, told.id, told.content_key,
        row_number() over (partition by told.session_id order by told.place, told.ordinal) as n
    from {told} as told
    where told.content_key is not null and told.session_id in (select parent from present_parents where depth = $depth)
),
paired as (
    select
        child.session_id, child.seen_id, child.n, parent.id,
        parent.content_key is not distinct from child.content_key as is_same
    from child
    left join parent on parent.session_id = child.parent and parent.n = child.n
),
ends as (
    select session_id, min(n) filter (where not is_same) as first_own from paired group by session_id
)
select paired.session_id, paired.seen_id, paired.id
from paired
inner join ends using (session_id)
where paired.is_same and (ends.first_own is null or paired.n < ends.first_own)
