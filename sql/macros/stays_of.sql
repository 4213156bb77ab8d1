-- Where an item stood: every unbroken stay of it in a window, in its own session and in those that inherited it.
-- reads: residency
-- params: item text
-- grain: stay
select
    session_id,
    is_sidechain,
    epoch,
    form,
    inferred,
    first_request_no,
    last_request_no,
    requests,
    tokens_calibrated,
    token_requests,
    cost_usd,
    later_uses,
    last_used_request_no
from residency
where item_id = $item
order by session_id, is_sidechain, first_request_no
