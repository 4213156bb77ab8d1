"""Odd values -> plain ones: times, token counts, the shape of an object. Shared words of all readers; none raises."""

import hashlib
import json
import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import orjson

LARGEST_WHOLE = 2**53
"""Beyond it a JSON number is no longer exact."""
LARGEST_COUNT = 2**36
"""No call has more tokens; so many still have a cost and a place in any sum that the lake stores."""

_EARLIEST, _LATEST = datetime(2010, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001
_UNITS_PER_SECOND = ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9))
_PAYLOADS = frozenset(("message", "payload", "data", "info", "event", "part", "item", "state"))
"""Where formats put what a record is about."""
_COUNTS = frozenset(
    (
        "usage", "tokens", "token_usage", "total_token_usage", "last_token_usage", "cache_creation", "cache", "usageMetadata",
        "metrics", "model_stats",
    )
)  # fmt: skip
"""Where formats put token counts."""
DEEPEST_SHAPE = 5
_COUNTED = re.compile("tokens|token_?count|usage", re.IGNORECASE)
_LIMIT = re.compile("max|limit|budget|window|threshold|remaining", re.IGNORECASE)
_FILE_KEYS = ("file_path", "notebook_path", "target_file", "filePath", "absolute_path", "path", "filename")


def moment(value: Any) -> tuple[datetime | None, str | None]:
    """A logged time as naive UTC with microseconds, and what was odd about it.

    Text is ISO 8601 (nanoseconds are cut; `naive_time`: no zone, taken as UTC). Numbers are seconds, milli-, micro- or
    nanoseconds since 1970, told apart by size. `odd_time`: not a time. `implausible_time`: outside 2010-2099, given as None.
    """
    if value is None:
        return None, None
    try:
        if type(value) is str:
            at, flag = _from_text(value)
        elif type(value) in (int, float):
            at, flag = _from_number(value), None
        else:
            return None, "odd_time"
    except (ValueError, OverflowError):
        return None, "odd_time"
    if not _EARLIEST <= at < _LATEST:
        return None, "implausible_time"
    return at, flag


def _from_text(text: str) -> tuple[datetime, str | None]:
    if text[-1:] == "Z":
        at = datetime.fromisoformat(text[:-1])
        if at.tzinfo is None:
            return at, None
        raise ValueError("two zones")
    if text.isascii() and text.isdigit() and len(text) > 8:
        return _from_number(int(text[:30])), None
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        return at, "naive_time"
    return at.astimezone(UTC).replace(tzinfo=None), None


def _from_number(number: float) -> datetime:
    for below, per_second in _UNITS_PER_SECOND:
        if abs(number) < below:
            whole, rest = divmod(number, per_second)
            return _EPOCH + timedelta(seconds=whole, microseconds=int(rest * 10**6 // per_second))
    raise OverflowError(number)


def whole(value: Any) -> tuple[int | None, str | None]:
    """A count as a whole number >= 0, and why it is None where it should not be. 10.0, "20" and 1e3 are accepted."""
    if type(value) is str:
        value = _number(value.strip())
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is int and 0 <= value <= LARGEST_WHOLE:
        return value, None
    return None, None if value is None else _oddity(value)


def count(value: Any) -> tuple[int | None, str | None]:
    """Tokens of a call: a whole number that one call can have."""
    number, flag = whole(value)
    return (None, "huge_number") if number is not None and number > LARGEST_COUNT else (number, flag)


def _oddity(value: Any) -> str:
    if type(value) is bool:
        return "boolean_number"
    if type(value) not in (int, float) or not math.isfinite(value):
        return "not_a_number"
    if value < 0:
        return "negative_number"
    return "huge_number" if value > LARGEST_WHOLE else "fractional_number"


def _number(text: str) -> int | float | None:
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 20 else LARGEST_WHOLE + 1
    try:
        return float(text)
    except ValueError:
        return math.nan


def shape(obj: dict[str, Any]) -> str:
    """Hash of the sorted keys of a record, of its payloads and of its token counts: equal shapes, equal schema.

    Only what a format names is looked into. The keys of arguments, of maps by path or model, and of the parts of a list are
    content: every record would have a shape of its own.
    """
    levels = [("", *obj)]
    _go_into(obj, "", levels)
    return _shape(tuple(levels))


def _go_into(obj: dict[str, Any], path: str, levels: list[tuple[str, ...]]) -> None:
    for name, value in obj.items():
        if type(value) is dict and (name in _PAYLOADS or name in _COUNTS or not _COUNTS.isdisjoint(value)):
            inner = f"{path}.{name}"
            levels.append((inner, *value))
            if inner.count(".") < DEEPEST_SHAPE:
                _go_into(value, inner, levels)


@lru_cache(maxsize=4096)
def _shape(levels: tuple[tuple[str, ...], ...]) -> str:
    lines = sorted("\t".join((name, *sorted(keys))) for name, *keys in levels)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def carries_tokens(value: Any, deepest: int = 6) -> bool:
    """Whether a record nobody knows says, in whatever words, how many tokens something cost."""
    if not isinstance(value, dict) or not deepest:
        return False
    return any(
        _counts(inner) if _COUNTED.search(name) and not _LIMIT.search(name) else carries_tokens(inner, deepest - 1)
        for name, inner in value.items()
    )


def _counts(value: Any, deepest: int = 3) -> bool:
    """A number above zero, or an object that holds one."""
    if isinstance(value, dict):
        return bool(deepest) and any(_counts(inner, deepest - 1) for name, inner in value.items() if not _LIMIT.search(name))
    return type(value) in (int, float) and value > 0


def text(value: Any) -> str | None:
    """A text that says something, else None."""
    return value if isinstance(value, str) and value else None


def fields(value: Any) -> dict[str, Any]:
    """An object's fields; none where it is no object."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def file_named(arguments: Any) -> str | None:
    """The file that a tool call is about, as its arguments name it."""
    found = fields(arguments)
    return next((path for key in _FILE_KEYS if (path := text(found.get(key)))), None)


def digest(*words: str) -> str:
    """A short name for these words together."""
    return hashlib.sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()[:32]


def embedded(value: Any) -> Any:
    """What JSON inside a string says; None where it is none, or nests too deep to be written again."""
    if not isinstance(value, str):
        return None
    try:
        found = orjson.loads(value)
        if value.count("[") + value.count("{") > 200:
            orjson.dumps(found)
    except (ValueError, TypeError):
        return None
    return found


def canonical(value: Any) -> str:
    """JSON text that is equal for equal values: keys sorted, no spaces, characters as they are."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # a number beyond 64 bits
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def arguments(value: Any) -> tuple[str, str | None]:
    """Of a tool's call, as an object or as JSON text: their canonical JSON, and the file they name. Other text stays."""
    given = value
    if isinstance(value, str):
        try:
            given = orjson.loads(value)
        except orjson.JSONDecodeError:
            return value, None
    return canonical({} if given is None else given), file_named(given)


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A part of a text that a tag encloses: `start` and `end` with the tag, `inside` without."""

    tag: str
    start: int
    end: int
    inside: str


def enclosed(said: str, tag: str) -> Iterator[Enclosed]:
    """What tags whose names match a pattern enclose, up to the first closing one; what lies inside of that is left together.

    In one pass: an expression that looks for the end of each tag takes minutes for a megabyte of tags that nothing closes.
    """
    closings: dict[str, list[int]] = {}
    for closing in re.finditer(rf"</({tag})>", said):
        closings.setdefault(closing[1], []).append(closing.start())
    at = 0
    for opening in re.finditer(rf"<({tag})>", said):
        ends = closings.get(opening[1], [])
        place = bisect_left(ends, opening.end())
        if opening.start() < at or place == len(ends):
            continue
        at = ends[place] + len(opening[1]) + 3
        yield Enclosed(opening[1], opening.start(), at, said[opening.end() : ends[place]])


def split_tagged(said: str, tags: Iterable[str]) -> list[tuple[str | None, str]]:
    """A text as (tag, inside) where one of the tags encloses it, and (None, text) between; blank pieces are left out.

    A text without any tag comes back as it is, even blank.
    """
    found: list[tuple[str | None, str]] = []
    at = 0
    for part in enclosed(said, "|".join(map(re.escape, tags))):
        found += [(None, said[at : part.start].strip()), (part.tag, part.inside.strip("\n"))]
        at = part.end
    if not at:
        return [(None, said)]
    found.append((None, said[at:].strip()))
    return [(tag, inside) for tag, inside in found if inside.strip()]
