"""Stories: what happened in a session, whoever logs it. `tests/writers` has them as the log of each agent."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import Reading
from tasks.readers.values import canonical

START = datetime(2026, 3, 2, 9, 0, 0)
STEP = timedelta(seconds=10)


@dataclass(frozen=True)
class Used:
    """Tokens of one paid call, in buckets that share none; `reasoning` is part of `output`."""

    uncached: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Tool:
    """A use of a tool and what came of it."""

    name: str
    arguments: dict[str, Any]
    result: str


@dataclass(frozen=True)
class Answer:
    """One paid call: what the model thought, said and used."""

    text: str
    used: Used
    reasoning: str = ""
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True)
class Turn:
    """A prompt that a person typed, and the calls that answered it."""

    prompt: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Story:
    """A session from its first prompt on."""

    native_id: str
    turns: tuple[Turn, ...]
    cwd: str = "/srv/looms"
    model: str = "weaver-2"
    start: datetime = START


@dataclass(frozen=True)
class Writer:
    """How one format tells a story. `write` makes the log in an empty folder and gives what is to be read: a file or folder."""

    name: str
    agent: str
    write: Callable[[Story, Path], Path]
    lacks: frozenset[str] = field(default_factory=frozenset)
    """What the format does not carry: `usage`, `uncached`, `cache_read`, `cache_write`, `reasoning_tokens`, `reasoning` (its
    text), `tools`, `model`."""
    as_logged: Callable[[str], str] = str
    """What the format makes of a text; most keep it as it is."""
    named: Callable[[Story], str] = attrgetter("native_id")
    """The native id of the session where the format does not carry the story's."""


def write_lines(log: Path, records: Iterable[dict[str, Any]]) -> Path:
    """A log of one object a line."""
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records))
    return log


def told(story: Story, writer: Writer) -> list[tuple[str, str, str | None]]:
    """(kind, text, tool) of all items, in order; what says nothing is no item."""
    return [(kind.value, text, tool) for kind, text, tool in _items(story, writer) if text or kind in _MAY_BE_EMPTY]


_MAY_BE_EMPTY = (ItemKind.TOOL_CALL, ItemKind.TOOL_RESULT)


def _items(story: Story, writer: Writer) -> Iterable[tuple[ItemKind, str, str | None]]:
    for turn in story.turns:
        yield ItemKind.USER_TEXT, writer.as_logged(turn.prompt), None
        for answer in turn.answers:
            if "reasoning" not in writer.lacks:
                yield ItemKind.REASONING, writer.as_logged(answer.reasoning), None
            yield ItemKind.ASSISTANT_TEXT, writer.as_logged(answer.text), None
            tools = answer.tools if "tools" not in writer.lacks else ()
            yield from ((ItemKind.TOOL_CALL, canonical(tool.arguments), tool.name) for tool in tools)
            yield from ((ItemKind.TOOL_RESULT, writer.as_logged(tool.result), tool.name) for tool in tools)


def paid(story: Story, writer: Writer) -> list[dict[str, Any]]:
    """What each call cost, as far as the format says."""
    if "usage" in writer.lacks:
        return []
    columns = {
        "input_uncached_tokens": "uncached", "cache_read_tokens": "cache_read", "cache_write_tokens": "cache_write",
        "output_tokens": "output", "reasoning_tokens": "reasoning_tokens",
    }  # fmt: skip
    answers = [answer for turn in story.turns for answer in turn.answers]
    return [
        {
            column: getattr(answer.used, name.removesuffix("_tokens"))
            for column, name in columns.items()
            if name not in writer.lacks
        }
        | ({"model": story.model} if "model" not in writer.lacks else {})
        for answer in answers
    ]


def seen_items(reading: Reading) -> list[tuple[str, str, str | None]]:
    """(kind, text, tool) of the items that a log's session consists of."""
    return [
        (item.kind.value, item.text, item.tool_name)
        for item in reading.items
        if item.kind not in (ItemKind.SYSTEM, ItemKind.NOTICE, ItemKind.INJECTED)
    ]


ODD_TEXTS = (
    "\u2028",
    "a\u2029b",
    "x\x85y",
    "\u65e5\u672c\u8a9e",
    "\U0001f9f6\u200d\U0001f9f5",
    "tab\tand\r\nline",
    "\x00",
    '{"a": 1}\n',
    "\ufeff",
    "# > ```",
)


def texts(*, least: int = 0) -> st.SearchStrategy[str]:
    """Texts of all scripts, with what breaks lines, and some that are very long."""
    anything = st.text(st.characters(codec="utf-8"), min_size=least, max_size=40)
    return st.one_of(
        anything, st.sampled_from(ODD_TEXTS), st.builds(lambda part: part * 3000, st.text("ab\n\u00e9", min_size=1, max_size=9))
    )


def stories() -> st.SearchStrategy[Story]:
    """Sessions of some turns, every call with its result."""
    counts = st.integers(0, 10**9)
    used = st.builds(
        lambda fresh, read, written, said, thought: Used(fresh, read, written, said + thought, thought),
        counts, counts, counts, st.integers(1, 10**6), st.integers(0, 10**6),
    )  # fmt: skip
    tool = st.builds(
        Tool, st.sampled_from(("read_file", "run", "edit")), st.dictionaries(texts(least=1), texts(), max_size=3), texts()
    )
    answer = st.builds(Answer, texts(), used, texts(), st.lists(tool, max_size=2).map(tuple))
    turn = st.builds(Turn, texts(least=1).filter(str.strip), st.lists(answer, min_size=1, max_size=3).map(tuple))
    name = st.uuids(version=4).map(str)
    return st.builds(Story, name, st.lists(turn, min_size=1, max_size=3).map(tuple))
