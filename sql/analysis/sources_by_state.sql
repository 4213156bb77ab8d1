-- What became of the log files, and where their bytes went: in rows, rejected, blank, or waiting for the next night.
-- reads: sources
-- params: none
-- grain: agent x state
select
    coalesce(agent, '(none)') as agent,
    state,
    count(*) as files,
    coalesce(sum(bytes), 0)::bigint as bytes,
    coalesce(sum(bytes_in_rows), 0)::bigint as bytes_in_rows,
    coalesce(sum(bytes_rejected), 0)::bigint as bytes_rejected,
    coalesce(sum(bytes_blank), 0)::bigint as bytes_blank,
    coalesce(sum(bytes_pending), 0)::bigint as bytes_pending
from sources
group by all
order by agent, state
