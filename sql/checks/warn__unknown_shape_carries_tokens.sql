-- Token counts in records of a type or shape that no reader knows: they are missing from every sum until one learns it.
-- reads: records, sources
-- params: none
-- grain: agent x type x shape x agent_version
select
    sources.agent,
    records.type,
    records.shape,
    records.agent_version,
    coalesce(bool_or(list_contains(records.flags, 'unknown_type')), false) as is_unknown_type,
    count(*) as records,
    min(sources.path) as example_path,
    arg_min(records.line_no, (sources.path, records.line_no, records.byte_offset)) as example_line
from records
left join sources using (source_id, generation)
where list_contains(records.flags, 'usage_uncounted')
group by sources.agent, records.type, records.shape, records.agent_version
order by records desc, sources.agent, records.type, records.shape, records.agent_version nulls first
