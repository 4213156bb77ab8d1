-- Paid calls to a model, each counted once over all files, with the provider's own token counts.
-- reads: lake.requests, lake.reconciliation
-- params: none
-- grain: paid API call, once over all files
with estimated as (
    -- Grouped by its key, so that DuckDB leaves the join out of questions that ask for no estimate.
    select
        session_id,
        request_id,
        any_value(output_tokens_estimated) as output_tokens_estimated,
        any_value(cost_output_estimated_usd - cost_output_usd) as cost_added_usd
    from lake.reconciliation
    where output_tokens_estimated is not null
    group by session_id, request_id
)
select
    requests.request_id,
    requests.session_id,
    requests.request_no,
    requests."at",
    requests.day,
    requests.model,
    requests.prompt_tokens,
    requests.input_uncached_tokens,
    requests.cache_read_tokens,
    requests.cache_write_tokens,
    requests.cache_write_5m_tokens,
    requests.cache_write_1h_tokens,
    requests.output_tokens,
    estimated.output_tokens_estimated,
    requests.reasoning_tokens,
    requests.output_origin,
    requests.is_sidechain,
    requests.stop_reason,
    requests.service_tier,
    requests.context_limit,
    requests.web_search_requests,
    requests.epoch,
    requests.cost_usd,
    (requests.cost_usd + estimated.cost_added_usd)::decimal(18, 9) as cost_usd_estimated,
    -- Lakes of before call every unknown cost unpriced, also of calls that no log counts.
    case
        when requests.cost_usd is not null then requests.cost_origin
        when coalesce(requests.prompt_tokens, requests.output_tokens) is null then 'no_usage'
        else 'unpriced'
    end as cost_origin,
    requests.flags
from lake.requests as requests
left join estimated on estimated.session_id = requests.session_id and estimated.request_id = requests.request_id
