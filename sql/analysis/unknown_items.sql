-- What the readers kept but did not understand, by agent and record type.
-- reads: items, records, sources
-- params: none
-- grain: agent x record type
select
    sources.agent,
    records.type,
    count(*) as items,
    coalesce(sum(items.tokens), 0)::bigint as content_tokens
from items
left join records using (source_id, generation, byte_offset)
left join sources using (source_id, generation)
where items.kind = 'unknown'
group by all
order by items desc, agent, type
