-- Rows of `requests`, still without money.
-- reads: calls, told_compactions
-- params: timezone text
-- grain: call
select
    calls.request_id, calls.session_id, calls.request_no, calls.at,
    (calls.at at time zone 'UTC' at time zone $timezone)::date as day, calls.model, calls.prompt_tokens,
    calls.input_uncached_tokens, calls.cache_read_tokens, calls.cache_write_tokens, calls.cache_write_5m_tokens,
    calls.cache_write_1h_tokens, calls.output_tokens, calls.reasoning_tokens, calls.output_origin, calls.is_sidechain,
    calls.stop_reason, calls.service_tier, calls.context_limit, calls.web_search_requests,
    (
        select count(*) from told_compactions as before
        where before.session_id = calls.session_id and before.place < numbered.place
    ) as epoch,
    calls.flags
from calls
inner join session_calls as numbered on numbered.session_id = calls.session_id and numbered.id = calls.request_id
order by calls.session_id, calls.request_no, calls.request_id
