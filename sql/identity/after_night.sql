-- What a lake holds after a night: counts, bytes by where they went, tokens by bucket.
-- reads: sessions, requests, items, rejects, sources
-- grain: the lake
select
    (select count(*) from lake.sessions) as sessions,
    (select count(*) from lake.requests) as requests,
    (select count(*) from lake.items) as items,
    (select count(*) from lake.rejects) as rejects,
    books.*,
    tokens.*
from (
    select
        coalesce(sum(bytes), 0)::bigint as seen, coalesce(sum(bytes_in_rows), 0)::bigint as in_rows,
        coalesce(sum(bytes_rejected), 0)::bigint as rejected, coalesce(sum(bytes_blank), 0)::bigint as blank,
        coalesce(sum(bytes_pending), 0)::bigint as pending
    from lake.sources
    where prefix_hash is not null or state in ('empty', 'new')
) as books,
(
    select
        coalesce(sum(input_uncached_tokens), 0)::bigint as input_uncached,
        coalesce(sum(cache_read_tokens), 0)::bigint as cache_read,
        coalesce(sum(cache_write_tokens), 0)::bigint as cache_write, coalesce(sum(output_tokens), 0)::bigint as output
    from lake.requests
) as tokens
