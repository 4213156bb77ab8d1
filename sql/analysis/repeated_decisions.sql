-- Which decisions were taken back: an edit that brings back the text that an earlier edit of the same file had replaced.
-- reads: sessions, archive, items, requests
-- params: session text null, agent text null, project text null, since date null, days integer null, top integer 50
-- grain: edit that takes back an earlier one
-- Found by texts alone: the later edit's new text is the earlier one's old text, and its old text holds the earlier one's new
-- text or is part of it. Edits that tell no old text (whole files, patches) are not seen.
with chosen as (
    select session_id
    from sessions
    cross join archive
    where
        ($session::varchar is null or session_id = $session)
        and ($agent::varchar is null or agent = $agent)
        and ($project::varchar is null or project = $project)
        and ($since::date is null or ended_at >= $since)
        and ($days::integer is null or cast(ended_at as date) > newest_day - $days)
),
edited_again as (
    select session_id, path
    from items
    semi join chosen using (session_id)
    where kind = 'tool_call' and tool_category = 'edit' and path is not null
    group by session_id, path
    having count(*) > 1
),
told as materialized (
    select
        session_id,
        item_id,
        seq,
        turn,
        path,
        request_id,
        -- The names of the two texts in the arguments of different agents.
        try(json_extract_string(text, [
            '$.old_string', '$.old_str', '$.oldText', '$.oldString', '$.old_text',
            '$.new_string', '$.new_str', '$.newText', '$.newString', '$.new_text'
        ])) as texts
    from items
    semi join edited_again using (session_id, path)
    where kind = 'tool_call' and tool_category = 'edit'
),
edits as materialized (
    select
        session_id,
        item_id,
        seq,
        turn,
        path,
        request_id,
        coalesce(texts[1], texts[2], texts[3], texts[4], texts[5]) as old_text,
        coalesce(texts[6], texts[7], texts[8], texts[9], texts[10]) as new_text
    from told
),
taken_back as (
    select
        later.session_id,
        later.path,
        first.turn as first_turn,
        later.turn,
        first.request_id as first_request_id,
        later.request_id,
        left(first.new_text, 200) as taken_back_start,
        left(later.new_text, 200) as restored_start,
        later.seq,
        later.item_id
    from edits as later
    inner join edits as first
        on
            first.session_id = later.session_id and first.path = later.path and first.old_text = later.new_text
            and first.seq < later.seq
    where
        first.old_text <> ''
        and first.new_text <> ''
        and first.old_text <> first.new_text
        and later.old_text <> later.new_text
        and (contains(later.old_text, first.new_text) or contains(first.new_text, later.old_text))
    qualify row_number() over (partition by later.item_id order by first.seq desc, first.item_id) = 1
)
select
    taken_back.session_id,
    sessions.project,
    taken_back.path,
    taken_back.first_turn,
    taken_back.turn,
    calls.request_no - first_calls.request_no as requests_between,
    taken_back.taken_back_start,
    taken_back.restored_start
from taken_back
left join sessions on sessions.session_id = taken_back.session_id
left join requests as calls on calls.session_id = taken_back.session_id and calls.request_id = taken_back.request_id
left join requests as first_calls
    on first_calls.session_id = taken_back.session_id and first_calls.request_id = taken_back.first_request_id
order by requests_between desc nulls last, taken_back.session_id, taken_back.seq, taken_back.item_id
limit $top
