"""Scales for each session from sessions that have nothing to do with it, as for an archive that nobody has seen.

A fold is what must not teach what it is measured on: a lineage (a session with its forks, continuations and sub-agents), a
version of an agent, or a project. `alone` teaches nothing at all: only the scales that are known beforehand count, as on a
stranger's first night with one session.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from tasks.analyze import learn
from tasks.context.calibration import Learned
from tasks.context.window import Session

if TYPE_CHECKING:
    import duckdb

FOLDS = 10
"""Lineages and projects are dealt into so many; each version is a fold of its own."""
Pools = Mapping[str, Learned]
"""By session."""


class Kin:
    """What sessions have in common."""

    def __init__(self, con: "duckdb.DuckDBPyConnection") -> None:
        question = "select session_id, coalesce(lineage_id, session_id), coalesce(project, '') from sessions"
        rows = con.execute(question).fetchall()
        self._lineage = {session_id: lineage for session_id, lineage, _ in rows}
        self._project = {session_id: project for session_id, _, project in rows}

    def lineage(self, session: Session) -> str:
        return str(self._lineage[session.session_id])

    def project(self, session: Session) -> str:
        return f"{session.agent} {self._project[session.session_id]}"

    @staticmethod
    def version(session: Session) -> str:
        return f"{session.agent} {session.agent_version}"


def together(sessions: Sequence[Session]) -> Pools:
    """One pool of everything, as the night does it."""
    return dict.fromkeys((session.session_id for session in sessions), learn(sessions))


def alone(sessions: Sequence[Session]) -> Pools:
    """No pool."""
    return dict.fromkeys((session.session_id for session in sessions), Learned(()))


def apart(sessions: Sequence[Session], kin: Callable[[Session], Hashable], folds: int | None = None) -> Pools:
    """Each session with a pool of the other folds alone. `folds`: how many the kin are dealt into; None: each is one."""
    groups: dict[Hashable, list[Session]] = defaultdict(list)
    names = sorted({kin(session) for session in sessions}, key=str)
    fold_of = {name: at % folds if folds else at for at, name in enumerate(names)}
    for session in sessions:
        groups[fold_of[kin(session)]].append(session)
    pools: dict[str, Learned] = {}
    for fold, held in groups.items():
        others = learn(session for other, found in groups.items() if other != fold for session in found)
        pools |= dict.fromkeys((session.session_id for session in held), others)
    return pools
