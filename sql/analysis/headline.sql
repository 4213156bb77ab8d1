-- The archive in one line: sessions, calls, the provider's token counts, what they cost, and what was counted by content.
-- reads: sessions, requests, items, archive
-- params: days integer null
-- grain: one row
with calls as (
    select requests.*
    from requests, archive
    where $days::integer is null or day > newest_day - $days
),
things as (
    select items.kind, items.starts_turn, items.tokens
    from items, archive
    where $days::integer is null or day > newest_day - $days
)
select
    (
        select count(*)
        from sessions, archive
        where $days::integer is null or cast(ended_at as date) > newest_day - $days
    ) as sessions,
    (select count(*) from calls) as requests,
    (select count(*) from things where kind = 'user_text' and starts_turn) as prompts,
    (select coalesce(sum(prompt_tokens), 0) from calls)::bigint as prompt_tokens,
    (select round(sum(cache_read_tokens) / nullif(sum(prompt_tokens), 0), 4) from calls) as share_from_cache,
    (select coalesce(sum(output_tokens), 0) from calls)::bigint as output_tokens,
    (select count(*) from calls where output_origin = 'lower_bound') as requests_with_output_understated,
    (select sum(cost_usd) from calls) as cost_usd,
    (select count(*) from calls where cost_origin = 'unpriced') as requests_unpriced,
    (select count(*) from things) as items,
    (select coalesce(sum(tokens), 0) from things)::bigint as content_tokens,
    (select coalesce(sum(coalesce(output_tokens_estimated, output_tokens)), 0) from calls)::bigint as output_tokens_estimated,
    (select sum(coalesce(cost_usd_estimated, cost_usd)) from calls) as cost_usd_estimated
