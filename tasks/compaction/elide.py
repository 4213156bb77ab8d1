"""A context without the chunks that are out, as changes of a plan: markers in their place, calls still calls. Pure."""

from collections.abc import Iterator, Sequence

from tasks.compaction.arguments import Leaf, dumped, leaves, long_arguments, parsed, with_texts
from tasks.compaction.chunks import Chunk, Part
from tasks.compaction.cutting import Cutting, Labeled
from tasks.compaction.evict import Evicted
from tasks.compaction.orphans import Run
from tasks.compaction.plan import Change, Disposition
from tasks.compaction.run_marker import CONTINUED, NOTHING, Gone, marker
from tasks.domain.kinds import ItemKind


def changes(cutting: Cutting, evicted: Evicted) -> Iterator[Change]:
    """By position."""
    runs: dict[int, list[Run]] = {}
    for run in evicted.runs:
        runs.setdefault(cutting.spots[run[0]].position, []).append(run)
    for position, found in sorted(runs.items()):
        item, out = cutting.items[position], sum(map(len, found))
        every = len(item.cut.chunks)
        is_call = item.cut.item.kind == ItemKind.TOOL_CALL
        marks = _marks(cutting, item, found, evicted)
        text = _call(item, marks) if is_call else _joined(item.cut.item.text, item.cut.chunks, marks)
        disposition = Disposition.PLACEHOLDER if out == every and not is_call else Disposition.SPLIT
        yield Change(position, disposition, text, f"{out} of {every} chunks are out")


def _marks(cutting: Cutting, item: Labeled, runs: Sequence[Run], evicted: Evicted) -> dict[int, str]:
    """Number of a chunk that is out -> what stands in its place; nothing where the one before it speaks for it."""
    marks: dict[int, str] = {}
    for run in runs:
        chunks = [cutting.spots[index].chunk for index in run]
        tokens = sum(chunk.tokens for chunk in chunks)
        gone = Gone((chunks[0].lines_at[0], chunks[-1].lines_at[1]), tokens, item.cut.item.seq)
        start = cutting.spots[run[0]].number
        for number, chunk in enumerate(chunks):
            is_new = number and chunk.leaf != chunks[number - 1].leaf
            marks[start + number] = CONTINUED if is_new else ""
        marks[start] = marker(evicted.style, item.label, gone, evicted.notes.get(run, NOTHING))
    return marks


def _joined(text: str, chunks: Sequence[Chunk], marks: dict[int, str], first: int = 0) -> str:
    """The chunks that stay, word for word, and the marks on lines of their own. `first` is the number of the first chunk."""
    parts: list[str] = []
    for number, chunk in enumerate(chunks, first):
        if number not in marks:
            parts.append(text[chunk.start : chunk.end])
        elif marks[number]:
            parts += ["" if not parts or parts[-1].endswith("\n") else "\n", marks[number], "\n"]
    ends_out = first + len(chunks) - 1 in marks
    return "".join(parts[:-1] if ends_out else parts)


def _call(item: Labeled, marks: dict[int, str]) -> str:
    arguments, chunks = parsed(item.cut.item.text), item.cut.chunks
    if chunks[0].part == Part.WHOLE:
        long = long_arguments(arguments, item.cut.item.path)
        kept = {name: value for name, value in arguments.items() if name not in long}
        return dumped(kept | {long[0]: marks[0]})
    texts: dict[Leaf, str] = {}
    known = dict(leaves(arguments))
    for leaf in dict.fromkeys(chunk.leaf for chunk in chunks):
        own = [number for number, chunk in enumerate(chunks) if chunk.leaf == leaf]
        if any(number in marks for number in own):
            texts[leaf] = _joined(known[leaf], [chunks[number] for number in own], marks, own[0])
    return dumped(with_texts(arguments, texts))
