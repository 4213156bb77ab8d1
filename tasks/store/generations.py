"""Which present file is which known source: the pure decision behind new, appended, rewritten, moved, copy and gone.

Files are compared by hashes of prefixes. `base_id` is what content and agent alone say; two present files with one
base_id are either prefixes of each other (one source, the shorter ones listed as copies) or different sources.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    """Plans for all files and known sources with one base id. Of a path that was not walked nothing is known tonight."""
    heads, copies = _heads(present, {source.path for source in known}, prefix_of)
    taken: dict[str, tuple[Observed, Plan]] = {}
    for source in sorted(known, key=lambda source: source.source_id):
        free = [head for head in heads if head.path not in taken]
        head = _continuation(source, free, prefix_of)
        if head:
            here = {file.path for file in present}
            is_moved = source.path not in here and is_walked(source.path)
            taken[head.path] = head, _continued(source, head, is_moved=is_moved)
    ended = [source for source in known if all(plan.known is not source for _, plan in taken.values())]
    plans: list[Plan] = []
    for source in ended:
        head = next((head for head in heads if head.path == source.path and head.path not in taken), None)
        if head:
            taken[head.path] = head, _rewritten(source, head, stored_prefix_of)
        else:
            plans.append(Plan(SourceState.GONE, source.source_id, source.generation, known=source))
    for head in heads:
        if head.path not in taken:
            taken[head.path] = (
                head,
                _new(
                    base,
                    head,
                    known=known,
                    taken=taken,
                    ended=ended,
                    stored_prefix_of=stored_prefix_of,
                    first_difference=first_difference,
                ),
            )
    plans += [plan for _, plan in taken.values()]
    plans += [_copy(file, taken[head.path][1].source_id) for file, head in copies]
    return plans


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


def _new(
    base: str,
    head: Observed,
    *,
    known: Sequence[Known],
    taken: dict[str, tuple[Observed, Plan]],
    ended: Sequence[Known],
    stored_prefix_of: StoredPrefixOf,
    first_difference: LineAt,
) -> Plan:
    for source in ended:
        if head.committed <= source.committed_bytes and stored_prefix_of(source, head.committed) == head.digest:
            return Plan(SourceState.COPY, source.source_id, observed=head, reason=f"a prefix of {source.source_id}")
    holder = next((other for other, plan in taken.values() if plan.source_id == base), None)
    if holder is None and all(source.source_id != base for source in known):
        return Plan(SourceState.NEW, base, observed=head)
    other = first_difference(head, holder) if holder else head.digest
    source_id = hashlib.sha256(f"{base}\0{other}".encode()).hexdigest()[:32]
    return Plan(SourceState.NEW, source_id, observed=head, reason="begins like another log and differs later")


def _copy(file: Observed, source_id: str) -> Plan:
    return Plan(SourceState.COPY, source_id, observed=file, reason=f"a prefix of {source_id}")
