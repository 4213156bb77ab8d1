-- How far off the accounts of sessions are: |residual| of all calls as a share of their prompts, over sessions of some length.
-- reads: reconciliation
-- params: calls integer 15
-- grain: range of shares; at_most is its upper end, null for the last
with by_session as (
    select session_id, sum(prompt_tokens) as prompt_tokens, sum(abs(residual_tokens)) / nullif(sum(prompt_tokens), 0) as share
    from reconciliation
    group by session_id
    having count(*) >= $calls
),
ranges as (
    select * from (values (0.0, 0.001), (0.001, 0.005), (0.005, 0.02), (0.02, 0.08), (0.08, null)) as made (above, at_most)
)
select
    above::double as above,
    at_most::double as at_most,
    count(session_id) as sessions,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    round(count(session_id) / nullif(sum(count(session_id)) over (), 0), 4) as share_of_sessions
from ranges
left join by_session
    on (share > above or (above = 0 and share = 0)) and (at_most is null or share <= at_most)
group by above, at_most
order by above
