-- What each compaction of a session did: the prompt of the call before and of the one after, and how long its summary is.
-- reads: compactions, requests, items
-- params: session text
-- grain: compaction
with calls as (
    select request_no, request_id, prompt_tokens
    from requests
    where session_id = $session and prompt_tokens > 0 and not coalesce(list_contains(flags, 'sum_of_calls'), false)
)
select
    compactions.compaction_id,
    compactions.request_no,
    compactions."at",
    compactions.trigger,
    (
        select last(prompt_tokens order by request_no, request_id) from calls
        where calls.request_no <= compactions.request_no
    ) as prompt_tokens_before,
    (
        select first(prompt_tokens order by request_no, request_id) from calls
        where calls.request_no > compactions.request_no
    ) as prompt_tokens_after,
    compactions.tokens_before as told_tokens_before,
    compactions.tokens_after as told_tokens_after,
    summaries.tokens as summary_content_tokens
from compactions
left join items as summaries on summaries.item_id = compactions.summary_item_id
where compactions.session_id = $session
order by compactions.request_no, compactions."at" nulls last, compactions.compaction_id
