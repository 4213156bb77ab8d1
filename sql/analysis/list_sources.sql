-- Which log files were seen, what became of each, and where its bytes went.
-- reads: sources
-- params: state text null, only_problems boolean false, top integer 1000
-- grain: generation of a log file
select
    path,
    agent,
    form,
    generation,
    state,
    bytes,
    lines,
    coalesce(bytes_in_rows, 0) as bytes_in_rows,
    coalesce(bytes_rejected, 0) as bytes_rejected,
    coalesce(bytes_pending, 0) as bytes_pending,
    reason
from sources
where
    ($state::varchar is null or state = $state)
    and (
        not $only_problems::boolean
        or bytes_rejected > 0
        or state in ('unreadable', 'unclaimed')
        or (state in ('rewritten', 'truncated') and coalesce(form, 'lines') in ('lines', 'text'))
    )
order by path, generation
limit $top
