"""What a part of a message says: its items, with kind, text and whether the model saw them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers.pictures import Size, size_in
from tasks.readers.values import canonical, fields, file_named, objects, text

SILENT = ("step-start", "step-finish", "snapshot", "patch", "compaction")
"""Book-keeping: marks of steps, hashes of the working tree, the wish for a compaction."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says a part."""

    role: str
    is_summary: bool = False
    is_child: bool = False
    """Of a sub-agent: its prompts are its parent's."""

    @property
    def kind(self) -> ItemKind:
        if self.role == "user":
            return ItemKind.INJECTED if self.is_child else ItemKind.USER_TEXT
        if self.role == "assistant":
            return ItemKind.COMPACTION_SUMMARY if self.is_summary else ItemKind.ASSISTANT_TEXT
        return ItemKind.UNKNOWN


@dataclass(slots=True)
class Block:
    """One thing that a part says; becomes an item."""

    kind: ItemKind
    text: str
    role: str = "assistant"
    tool_name: str | None = None
    call_id: str | None = None
    path: str | None = None
    at: Any = None
    in_context: bool = True
    is_answer: bool = True
    """Came out of the call; a result comes after it."""
    flags: tuple[str, ...] = ()
    size: Size | None = None
    """Of an image."""
    cleared_at: Any = None


def blocks(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    """The blocks of one part; of an unknown type its JSON."""
    kind = part.get("type")
    if kind in SILENT:
        return []
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    return reader(part, speaker) if reader else [Block(ItemKind.UNKNOWN, canonical(part), speaker.role, in_context=False)]


def is_known(part: dict[str, Any]) -> bool:
    """Whether the type of a part is one of OpenCode's."""
    return part.get("type") in SILENT or part.get("type") in _READERS


def _text(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    """Typed or answered, unless it was made up by the program (`synthetic`) or for the eye alone (`ignored`)."""
    said = text(part.get("text"))
    if said is None:
        return []
    ignored = part.get("ignored") is True
    kind = ItemKind.NOTICE if ignored else ItemKind.INJECTED if part.get("synthetic") is True else speaker.kind
    return [Block(kind, said, speaker.role, at=_start(part), in_context=not ignored)]


def _reasoning(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    said = text(part.get("text"))
    return [Block(ItemKind.REASONING, said, speaker.role, at=_start(part))] if said else []


def _tool(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    state = fields(part.get("state"))
    name, call_id = text(part.get("tool")), text(part.get("callID")) or text(part.get("id"))
    given = state.get("input")
    path = file_named(given) or _patched(fields(given).get("patchText"))
    child = text(fields(state.get("metadata")).get("sessionId"))
    flags = (f"agent:{child}",) if child else ()
    arguments = canonical({} if given is None else given)
    call = Block(ItemKind.TOOL_CALL, arguments, "assistant", name, call_id, path, _start(state), flags=flags)
    return [call, *_results(state, name, call_id, path)]


def _results(state: dict[str, Any], name: str | None, call_id: str | None, path: str | None) -> list[Block]:
    """What came of a call that is over. A failed command is `completed`, with its exit code beside."""
    if state.get("status") in ("pending", "running"):
        return []
    time, metadata = fields(state.get("time")), fields(state.get("metadata"))
    failed = state.get("status") == "error" or name == "invalid" or metadata.get("exit") not in (None, 0)
    marks = {"error": failed, "pruned": bool(time.get("compacted")), "interrupted": metadata.get("interrupted") is True}
    flags = tuple(mark for mark, holds in marks.items() if holds)
    said = state.get("error") if state.get("status") == "error" else state.get("output")
    output = said if isinstance(said, str) else "" if said is None else canonical(said)
    result = Block(
        ItemKind.TOOL_RESULT, output, "tool", name, call_id, path, time.get("end"), is_answer=False, flags=flags,
        cleared_at=time.get("compacted"),
    )  # fmt: skip
    files = [_file(one, Speaker("tool"))[0] for one in objects(state.get("attachments"))]
    for one in files:
        one.tool_name, one.call_id, one.is_answer, one.at = name, call_id, False, time.get("end")
    return [result, *files]


def _file(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    """An attached file. Text goes to the model as a synthetic text part, so that the file itself is only shown."""
    mime = text(part.get("mime")) or ""
    url = text(part.get("url")) or ""
    place = "" if url.startswith("data:") else url
    path = text(fields(part.get("source")).get("path")) or (
        place.removeprefix("file://") if place.startswith("file://") else None
    )
    if mime.startswith("image/"):
        return [Block(ItemKind.IMAGE, place, speaker.role, path=path, size=size_in(url))]
    shown = place or text(part.get("filename")) or ""
    is_text = mime.startswith("text/") or mime == "application/x-directory"
    return [Block(ItemKind.NOTICE if is_text else ItemKind.INJECTED, shown, speaker.role, path=path, in_context=not is_text)]


def _agent(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    return [Block(ItemKind.NOTICE, name, speaker.role, in_context=False)] if (name := text(part.get("name"))) else []


def _subtask(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    said = text(part.get("prompt")) or text(part.get("description"))
    return [Block(ItemKind.INJECTED, said, speaker.role)] if said else []


def _retry(part: dict[str, Any], speaker: Speaker) -> list[Block]:
    return [Block(ItemKind.NOTICE, problem(part.get("error")), speaker.role, in_context=False, flags=("error",))]


def problem(error: Any) -> str:
    """What an error object says: its name and message."""
    said = fields(error)
    words = [text(said.get("name")), text(fields(said.get("data")).get("message")) or text(said.get("message"))]
    return ": ".join(word for word in words if word) or canonical(error)


def _start(timed: dict[str, Any]) -> Any:
    return fields(timed.get("time")).get("start")


def _patched(patch: Any) -> str | None:
    for line in patch.split("\n") if isinstance(patch, str) else ():
        for verb in ("*** Update File: ", "*** Add File: ", "*** Delete File: "):
            if line.startswith(verb):
                return str(line.removeprefix(verb).strip())
    return None


_READERS: dict[str, Callable[[dict[str, Any], Speaker], list[Block]]] = {
    "text": _text,
    "reasoning": _reasoning,
    "tool": _tool,
    "file": _file,
    "agent": _agent,
    "subtask": _subtask,
    "retry": _retry,
}
