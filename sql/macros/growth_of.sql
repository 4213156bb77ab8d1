-- How a session's prompts grew from call to call, as explained + overhead + residual.
-- reads: reconciliation, requests
-- params: session text
-- grain: call whose prompt a window held
select
    told.request_no,
    requests.at,
    requests.epoch,
    told.is_sidechain,
    told.prompt_tokens,
    told.prompt_tokens - lag(told.prompt_tokens) over before as prompt_tokens_added,
    told.explained_tokens,
    told.overhead_tokens,
    told.residual_tokens,
    told.items,
    told.removal_rule
from reconciliation as told
inner join requests using (session_id, request_id)
where told.session_id = $session
window before as (partition by told.is_sidechain order by told.request_no, request_id)
order by told.request_no, request_id
