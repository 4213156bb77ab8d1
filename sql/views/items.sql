-- Things said or done, each once over all files, in the session they were first said in; `tokens` are content tokens.
-- reads: lake.items
-- params: none
-- grain: thing said or done, once over all files
select
    item_id,
    session_id,
    seq,
    turn,
    request_id,
    kind,
    role,
    is_sidechain,
    starts_turn,
    tool_name,
    tool_category,
    call_id,
    path,
    text,
    text_sha256,
    chars,
    tokens,
    token_encoding,
    "at",
    day,
    flags,
    opaque_chars,
    image_width,
    image_height,
    cleared_at,
    source_id,
    generation,
    line_no,
    byte_offset,
    byte_length,
    block_no
from lake.items
