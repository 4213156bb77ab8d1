-- Why spans of the logs could not be read as records, and how many bytes each reason cost.
-- reads: rejects
-- params: none
-- grain: reason
select
    reason,
    count(*) as rejects,
    count(distinct source_id) as sources,
    sum(byte_length)::bigint as bytes
from rejects
group by reason
order by rejects desc, reason
