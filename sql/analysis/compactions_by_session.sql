-- Where contexts were compacted: how often, by what trigger, at how many tokens, and how many stayed.
-- reads: compactions, sessions
-- params: top integer 50
-- grain: session
select
    session_id,
    sessions.project,
    sessions.title,
    count(*) as compactions,
    count(*) filter (where trigger = 'auto') as automatic,
    round(avg(tokens_before))::bigint as mean_tokens_before,
    round(avg(tokens_after))::bigint as mean_tokens_after,
    max(compactions.at) as last_at
from compactions
left join sessions using (session_id)
group by all
order by compactions desc, session_id
limit $top
