-- How one session's context grew: the provider's prompt tokens at each of its calls, what explains them, against the model's
-- limit.
-- reads: requests, reconciliation, compactions, cache_misses
-- params: session text
-- grain: request
with compacted as (
    select request_no + 1 as request_no, last(coalesce(trigger, 'unnamed') order by compaction_id) as trigger
    from compactions
    where session_id = $session
    group by request_no
)
select
    requests.request_no,
    requests.at,
    model,
    epoch,
    requests.prompt_tokens,
    requests.prompt_tokens - lag(requests.prompt_tokens) over (order by requests.request_no, request_id) as prompt_tokens_added,
    output_tokens,
    context_limit,
    round(requests.prompt_tokens / nullif(context_limit, 0), 4) as share_of_limit,
    told.explained_tokens,
    told.overhead_tokens,
    told.residual_tokens,
    told.items,
    -- A compaction took place between the call before and this one.
    compacted.trigger as compacted_by,
    misses.tokens_repaid,
    misses.cause as miss_cause,
    requests.cost_usd
from requests
left join reconciliation as told using (session_id, request_id)
left join compacted on compacted.request_no = requests.request_no
left join cache_misses as misses using (session_id, request_id)
where session_id = $session and not coalesce(list_contains(flags, 'sum_of_calls'), false)
order by requests.request_no, request_id
