-- More than one item in a hundred that no reader understands means that an agent's format has moved on.
-- reads: items, sources
-- params: none
-- grain: agent that offends
select
    sources.agent,
    count(*) filter (where items.kind = 'unknown') as unknown_items,
    count(*) as items,
    round(count(*) filter (where items.kind = 'unknown') / count(*), 4) as share_unknown
from items
left join sources using (source_id, generation)
group by sources.agent
having count(*) filter (where items.kind = 'unknown') / count(*) > 0.01
order by share_unknown desc, agent
