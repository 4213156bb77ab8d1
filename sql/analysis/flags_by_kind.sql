-- What was odd in the logs: flags on items, by kind of item.
-- reads: items
-- params: none
-- grain: flag x kind
select
    flag,
    kind,
    count(*) as items
from (select kind, unnest(flags) as flag from items)
group by all
order by items desc, flag, kind
