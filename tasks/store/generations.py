"""Which present file is which known source: the pure decision behind new, appended, rewritten, moved, copy and gone.

Files are compared by hashes of prefixes. `base_id` is what content and agent alone say; two present files with one
base_id are either prefixes of each other (one source, the shorter ones listed as copies) or different sources.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count

from tasks.domain.kinds import SourceState


@dataclass(frozen=True, slots=True)
class Known:
    """The newest generation of a source in the lake."""

    source_id: str
    generation: int
    path: str
    committed_bytes: int
    prefix_hash: str
    """sha256 of the committed bytes."""
    bytes: int
    state: str


@dataclass(frozen=True, slots=True)
class Observed:
    """A log file as it lies in the archive tonight."""

    path: str
    size: int
    committed: int
    """Bytes that are read tonight: up to the last newline, or all when the log is final."""
    digest: str
    """sha256 of these."""
    is_final: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of one file or one known source."""

    state: SourceState
    source_id: str
    generation: int = 0
    observed: Observed | None = None
    known: Known | None = None
    """The generation that is continued (or ended)."""
    reason: str | None = None


PrefixOf = Callable[[Observed, int], str | None]
"""sha256 of the first n bytes of a present file."""
StoredPrefixOf = Callable[[Known, int], str | None]
"""sha256 of the first n bytes of a known source, from its copy in raw/."""
LineAt = Callable[[Observed, Observed], str]
"""sha256 of the first line in which the first file differs from the second."""


def base_id(agent: str, native_id: str, first_record_sha256: str) -> str:
    """Identity of a source: content and agent, never path, inode or size."""
    return hashlib.sha256("\0".join((agent, native_id, first_record_sha256)).encode("utf-8", "replace")).hexdigest()[:32]


def listing_id(state: SourceState, path: str) -> str:
    """Id of a row that only lists a file (copy, empty, unreadable, unclaimed, not yet a record)."""
    return f"{state}-{hashlib.sha256(path.encode('utf-8', 'replace')).hexdigest()[:24]}"


def plan_group(
    base: str,
    known: Sequence[Known],
    present: Sequence[Observed],
    *,
    prefix_of: PrefixOf,
    stored_prefix_of: StoredPrefixOf,
    first_difference: LineAt,
    is_walked: Callable[[str], bool] = lambda path: True,
) -> list[Plan]:
    """Plans for all files and known sources with one base id, the same in every order of both.

    Of a path that was not walked nothing is known tonight.
    """
    known = sorted(known, key=lambda source: source.source_id)
    heads, copies = _heads(present, {source.path for source in known}, prefix_of)
    here = {file.path for file in present}
    taken: dict[str, Plan] = {}
    for source in known:
        head = _continuation(source, [head for head in heads if head.path not in taken], prefix_of)
        if head:
            is_moved = source.path not in here and is_walked(source.path)
            taken[head.path] = _continued(source, head, is_moved=is_moved)
    ended = [source for source in known if all(plan.known is not source for plan in taken.values())]
    gone: list[Plan] = []
    for source in ended:
        head = next((head for head in heads if head.path == source.path and head.path not in taken), None)
        if head:
            taken[head.path] = _rewritten(source, head, stored_prefix_of)
        else:
            gone.append(Plan(SourceState.GONE, source.source_id, source.generation, known=source))
    for head in heads:
        if head.path not in taken:
            taken[head.path] = _remnant(head, ended, stored_prefix_of) or _new(
                base, head, known, list(taken.values()), first_difference
            )
    return [*gone, *taken.values(), *(_copy(file, taken[head.path].source_id) for file, head in copies)]


def plan_whole(base: str, known: Sequence[Known], present: Sequence[Observed]) -> list[Plan]:
    """Plans for logs that say everything again whenever they change, the same in every order of both.

    A source goes on at its path; else where its content is; else, if it is the only one missing, at the only new path.
    """
    known = sorted(known, key=lambda source: source.source_id)
    files = sorted(present, key=lambda file: file.path)
    taken: dict[str, Plan] = {}
    for source in known:
        _go_on(source, [file for file in files if file.path == source.path], taken)
    for source in known:
        _go_on(source, [file for file in files if file.digest == source.prefix_hash], taken)
    missing = [source for source in known if all(plan.known is not source for plan in taken.values())]
    untold = [file for file in files if file.path not in taken]
    if len(missing) == 1 and len({file.digest for file in untold}) == 1:
        _go_on(missing[0], untold, taken)
    copies: list[Plan] = []
    for file in files:
        twin = next((plan for plan in taken.values() if plan.observed and plan.observed.digest == file.digest), None)
        if file.path not in taken and twin:
            copies.append(Plan(SourceState.COPY, twin.source_id, observed=file, reason=f"the same as {twin.source_id}"))
        elif file.path not in taken:
            taken[file.path] = _new_whole(base, file, known, taken.values())
    gone = [source for source in known if all(plan.known is not source for plan in taken.values())]
    return [
        *(Plan(SourceState.GONE, source.source_id, source.generation, known=source) for source in gone),
        *taken.values(),
        *copies,
    ]


def _go_on(source: Known, files: Sequence[Observed], taken: dict[str, Plan]) -> None:
    file = next((file for file in files if file.path not in taken), None)
    if file and all(plan.known is not source for plan in taken.values()):
        taken[file.path] = _said_again(source, file)


def _said_again(source: Known, file: Observed) -> Plan:
    if file.digest == source.prefix_hash:
        state = SourceState.UNCHANGED if file.path == source.path else SourceState.MOVED
        return Plan(state, source.source_id, source.generation, file, source)
    return Plan(SourceState.REWRITTEN, source.source_id, source.generation + 1, file, source)


def _new_whole(base: str, file: Observed, known: Sequence[Known], taken: Iterable[Plan]) -> Plan:
    used = {source.source_id for source in known} | {plan.source_id for plan in taken}
    if base not in used:
        return Plan(SourceState.NEW, base, observed=file)
    source_id = hashlib.sha256(f"{base}\0{file.digest}".encode()).hexdigest()[:32]
    return Plan(SourceState.NEW, source_id, observed=file, reason="another version of the same session")


def _heads(
    present: Sequence[Observed], known_paths: set[str], prefix_of: PrefixOf
) -> tuple[list[Observed], list[tuple[Observed, Observed]]]:
    def preference(file: Observed) -> tuple[int, bool, bool, bool, str]:
        packed = file.path.endswith((".zst", ".gz"))
        return (-file.committed, file.path not in known_paths, packed, "archived" in file.path, file.path)

    heads: list[Observed] = []
    copies = []
    for file in sorted(present, key=preference):
        head = next((head for head in heads if prefix_of(head, file.committed) == file.digest), None)
        if head:
            copies.append((file, head))
        else:
            heads.append(file)
    return heads, copies


def _continuation(source: Known, heads: Sequence[Observed], prefix_of: PrefixOf) -> Observed | None:
    matching = [
        head
        for head in heads
        if head.committed >= source.committed_bytes and prefix_of(head, source.committed_bytes) == source.prefix_hash
    ]
    return min(matching, key=lambda head: (head.path != source.path, head.path), default=None)


def _continued(source: Known, head: Observed, *, is_moved: bool) -> Plan:
    if head.committed != source.committed_bytes or head.size != source.bytes:
        state = SourceState.APPENDED
    elif head.path != source.path and is_moved:
        state = SourceState.MOVED
    else:
        state = SourceState.UNCHANGED
    return Plan(state, source.source_id, source.generation, head, source)


def _rewritten(source: Known, head: Observed, stored_prefix_of: StoredPrefixOf) -> Plan:
    shorter = head.committed < source.committed_bytes and stored_prefix_of(source, head.committed) == head.digest
    state = SourceState.TRUNCATED if shorter else SourceState.REWRITTEN
    return Plan(state, source.source_id, source.generation + 1, head, source, f"{state}: its earlier content is kept")


def _remnant(head: Observed, ended: Sequence[Known], stored_prefix_of: StoredPrefixOf) -> Plan | None:
    """A file that is the beginning of a log that is no longer there: nothing new."""
    for source in ended:
        if head.committed <= source.committed_bytes and stored_prefix_of(source, head.committed) == head.digest:
            return _copy(head, source.source_id)
    return None


def _new(base: str, head: Observed, known: Sequence[Known], taken: Sequence[Plan], first_difference: LineAt) -> Plan:
    used = {source.source_id for source in known} | {plan.source_id for plan in taken}
    if base not in used:
        return Plan(SourceState.NEW, base, observed=head)
    holder = next((plan.observed for plan in taken if plan.source_id == base), None)
    # The first different line outlives growth; but several logs may differ from the holder by the same line.
    marks = chain([first_difference(head, holder)] if holder else [], (f"{head.digest}{'+' * n}" for n in count()))
    ids = (hashlib.sha256(f"{base}\0{mark}".encode()).hexdigest()[:32] for mark in marks)
    source_id = next(one for one in ids if one not in used)
    return Plan(SourceState.NEW, source_id, observed=head, reason="begins like another log and differs later")


def _copy(file: Observed, source_id: str) -> Plan:
    return Plan(SourceState.COPY, source_id, observed=file, reason=f"a prefix of {source_id}")
