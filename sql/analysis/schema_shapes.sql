-- Which record types each agent version writes, in how many shapes (sets of keys): a new shape is schema drift.
-- reads: records, sources
-- params: agent text null
-- grain: agent x type x agent_version
select
    sources.agent,
    records.type,
    records.agent_version,
    count(*) as records,
    count(distinct records.shape) as shapes,
    count(*) filter (where len(records.flags) > 0) as records_flagged
from records
left join sources using (source_id, generation)
where $agent::varchar is null or sources.agent = $agent
group by all
order by agent, type, agent_version nulls first
