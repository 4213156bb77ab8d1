-- What each model was asked for and gave day by day, as the provider counted it.
-- reads: requests, archive
-- params: days integer null
-- grain: day x model
select
    day,
    coalesce(model, '(not named)') as model,
    count(*) as requests,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(input_uncached_tokens), 0)::bigint as input_uncached_tokens,
    coalesce(sum(cache_read_tokens), 0)::bigint as cache_read_tokens,
    coalesce(sum(cache_write_tokens), 0)::bigint as cache_write_tokens,
    coalesce(sum(output_tokens), 0)::bigint as output_tokens,
    sum(cost_usd) as cost_usd,
    count(*) filter (where cost_origin = 'unpriced') as requests_unpriced
from requests, archive
where $days::integer is null or day > newest_day - $days
group by day, model
order by day nulls first, prompt_tokens desc, model
