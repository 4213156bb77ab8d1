-- Every paid call once: its buckets are the largest that any of its copies shows, its number counts its session's calls.
-- reads: told_requests, homes, present_parents
-- grain: session x call, call
create or replace temp table session_calls as
select session_id, id, min(place) as place, row_number() over (partition by session_id order by min(place), id) as request_no
from told_requests
group by session_id, id;

create or replace temp table calls as
with largest as (
    select
        id,
        max(input_uncached_tokens) as input_uncached_tokens, max(cache_read_tokens) as cache_read_tokens,
        max(cache_write_tokens) as cache_write_tokens, max(cache_write_5m_tokens) as cache_write_5m_tokens,
        max(cache_write_1h_tokens) as cache_write_1h_tokens, max(output_tokens) as output_tokens,
        max(reasoning_tokens) as reasoning_tokens, max(web_search_requests) as web_search_requests,
        case when bool_or(output_origin = 'reported') then 'reported' else 'lower_bound' end as output_origin
    from told_requests
    group by id
)
select
    told.id as request_id, told.session_id, numbered.request_no,
    -- The times of a replay are those of the copying, unless its own parent is there to tell the true ones.
    case
        when told.is_replay is not true then told.at
        when told.session_id in (select session_id from present_parents where not is_stand_in) then told.at
    end as at,
    told.model,
    case
        when coalesce(largest.input_uncached_tokens, largest.cache_read_tokens, largest.cache_write_tokens) is not null
            then coalesce(largest.input_uncached_tokens, 0) + coalesce(largest.cache_read_tokens, 0)
                + coalesce(largest.cache_write_tokens, 0)
    end as prompt_tokens,
    largest.* exclude (id, web_search_requests),
    told.is_sidechain, told.stop_reason, told.service_tier, told.context_limit, largest.web_search_requests, told.flags
from told_requests as told
inner join homes on homes.what = 'request' and homes.id = told.id and homes.home = told.session_id
inner join largest on largest.id = told.id
inner join session_calls as numbered on numbered.session_id = told.session_id and numbered.id = told.id
qualify row_number() over (
    partition by told.id order by told.seen_id <> told.id, told.output_tokens desc nulls last, told.place, told.ordinal
) = 1;
