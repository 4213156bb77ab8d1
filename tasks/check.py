"""Ask the lake what must hold and what should: every file of sql/checks, over the newest snapshot."""

from dataclasses import dataclass, field

from tasks.domain.settings import Settings
from tasks.store import catalog, sql
from tasks.store.layout import Layout
from tasks.store.offenders import offenders

BROKEN, WARNED = "fail__", "warn__"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Checks that found offenders, with how many rows each."""

    broken: dict[str, int] = field(default_factory=dict)
    """What must hold and does not: the night ends with exit code 1."""
    warned: dict[str, int] = field(default_factory=dict)
    """What is odd, and told."""
    checks: int = 0
    """How many were asked."""


def check(settings: Settings) -> CheckReport:
    """The offenders of every check. `midwatch query checks/<name>` shows the rows."""
    with catalog.connect(Layout(settings.data)) as con:
        found = offenders(con)
    return CheckReport(
        {name: rows for name, rows in found.items() if name.startswith(BROKEN)},
        {name: rows for name, rows in found.items() if name.startswith(WARNED)},
        len(sql.names("checks")),
    )
