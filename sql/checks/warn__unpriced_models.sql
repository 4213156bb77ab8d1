-- Models that no price is known for: their calls are missing from every sum of money.
-- reads: requests
-- params: none
-- grain: model
select coalesce(model, '(not named)') as model, count(*) as requests, sum(prompt_tokens)::bigint as prompt_tokens
from requests
where cost_origin = 'unpriced' and (prompt_tokens > 0 or output_tokens > 0)
group by model
order by requests desc, model
