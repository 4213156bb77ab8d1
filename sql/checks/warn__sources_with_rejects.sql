-- Spans that could not be read: their positions are in `rejects`, their bytes in raw/.
-- reads: sources
-- params: none
-- grain: generation of a log file
select path, generation, lines_rejected, bytes_rejected
from sources
where bytes_rejected > 0
order by bytes_rejected desc, path, generation
