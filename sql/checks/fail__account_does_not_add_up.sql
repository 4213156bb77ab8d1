-- Every prompt that a window held is explained + overhead + residual, and what is explained is the stays of items at that call;
-- else tokens were lost or told twice.
-- reads: requests, reconciliation, residency
-- params: none
-- grain: call that offends
with counted as (
    select session_id, request_id, request_no, prompt_tokens
    from requests
    where prompt_tokens > 0 and not coalesce(list_contains(flags, 'sum_of_calls'), false)
),
changes as (
    select session_id, is_sidechain, first_request_no as request_no, 0 as is_call, tokens_calibrated as tokens, null as request_id
    from residency
    union all
    select session_id, is_sidechain, last_request_no, 2, -tokens_calibrated, null
    from residency
    union all
    select session_id, is_sidechain, request_no, 1, 0, request_id
    from reconciliation
),
held as (
    select
        session_id,
        request_id,
        is_call,
        sum(tokens) over (
            partition by session_id, is_sidechain order by request_no, is_call
            range between unbounded preceding and current row
        ) as tokens
    from changes
    qualify is_call = 1
)
select
    coalesce(counted.request_id, told.request_id) as request_id,
    counted.prompt_tokens,
    told.explained_tokens,
    told.overhead_tokens,
    told.residual_tokens,
    held.tokens as tokens_of_stays
from counted
full join reconciliation as told using (session_id, request_id)
left join held on held.session_id = told.session_id and held.request_id = told.request_id
where
    counted.prompt_tokens is distinct from told.prompt_tokens
    or told.prompt_tokens is distinct from told.explained_tokens + told.overhead_tokens + told.residual_tokens
    or told.explained_tokens is distinct from held.tokens
order by request_id
