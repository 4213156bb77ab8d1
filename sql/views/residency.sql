-- How long every item stayed in a window, and at how many of the provider's tokens.
-- reads: lake.residency
-- params: none
-- grain: unbroken stay of an item in one session's window
select
    session_id,
    item_id,
    is_sidechain,
    epoch,
    form,
    inferred,
    first_request_no,
    last_request_no,
    requests,
    tokens_calibrated,
    token_requests
from lake.residency
