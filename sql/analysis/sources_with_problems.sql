-- Which log files could not be read whole, and why. Rewritten or truncated is one where logs only grow.
-- reads: sources
-- params: top integer 100
-- grain: generation of a log file
select
    path,
    agent,
    generation,
    state,
    reason,
    bytes,
    coalesce(bytes_rejected, 0) as bytes_rejected,
    coalesce(bytes_pending, 0) as bytes_pending
from sources
where
    bytes_rejected > 0
    or bytes_pending > 0
    or state in ('unreadable', 'unclaimed')
    or (state in ('rewritten', 'truncated') and coalesce(form, 'lines') in ('lines', 'text'))
order by bytes_rejected desc, bytes_pending desc, path, generation
limit $top
