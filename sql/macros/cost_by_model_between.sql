-- What each model cost in some days, by the day of the call: from one day on, up to but without another.
-- reads: requests, reconciliation
-- params: from_day date, to_day date
-- grain: model
select
    coalesce(requests.model, '(not named)') as model,
    count(*) as requests,
    coalesce(sum(requests.prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(told.overhead_tokens), 0)::bigint as overhead_tokens,
    coalesce(sum(requests.output_tokens), 0)::bigint as output_tokens,
    round(sum(requests.cache_read_tokens) / nullif(sum(requests.prompt_tokens), 0), 4) as share_from_cache,
    sum(requests.cost_usd) as cost_usd,
    count(*) filter (where requests.cost_origin = 'unpriced') as requests_unpriced
from requests
left join reconciliation as told using (session_id, request_id)
where requests.day >= $from_day::date and requests.day < $to_day::date
group by 1
order by cost_usd desc nulls last, prompt_tokens desc, 1
