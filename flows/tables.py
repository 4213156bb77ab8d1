"""Rows as table, csv, json, jsonl or markdown. Values are JSON values; text of logs stays data in every format."""

import csv
import io
import json
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from flows.console import harmless

FORMATS = ("table", "csv", "json", "jsonl", "markdown")
CELL_WIDTH = 120
"""Of a text in a table on a terminal; files and programs get it whole."""
LISTING_WIDTH = 80
"""Of a list of names with explanations that goes to no terminal."""
NARROWEST, NARROWEST_ID = 12, 24
"""Columns of a terminal that a text keeps, however little room there is. The beginning of an id still names a session."""
_SECOND = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins so is a formula to a spreadsheet."""

Rows = Sequence[Sequence[Any]]


def render(columns: Sequence[str], rows: Rows, form: str, room: int | None = None) -> str:
    """The whole answer in one of FORMATS; a table is fitted into `room` columns as far as its texts can shrink."""
    if form == "table":
        return table(columns, rows, room)
    return {"csv": comma_separated, "json": as_json, "jsonl": json_lines, "markdown": markdown}[form](columns, rows)


def as_json(columns: Sequence[str], rows: Rows) -> str:
    """An array of objects, one row a line."""
    lines = [json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, allow_nan=False) for row in rows]
    return "[" + ",\n".join(lines) + "]\n"


def json_lines(columns: Sequence[str], rows: Rows) -> str:
    """One object a line."""
    lines = (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, allow_nan=False) for row in rows)
    return "".join(f"{line}\n" for line in lines)


def comma_separated(columns: Sequence[str], rows: Rows) -> str:
    """RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_unarmed(value) for value in row] for row in rows])
    return out.getvalue()


def _unarmed(value: Any) -> Any:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    return _text(value)


def markdown(columns: Sequence[str], rows: Rows) -> str:
    """A pipe table in which no text of a log becomes a link, a picture or HTML."""
    lines = [columns, ["---"] * len(columns), *([_plain_markdown(value) for value in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _plain_markdown(value: Any) -> str:
    text = harmless(_text(value))
    for character in "\\`*_[]|":
        text = text.replace(character, f"\\{character}")
    return text.replace("&", "&amp;").replace("<", "&lt;")


def table(columns: Sequence[str], rows: Rows, room: int | None = None) -> str:
    """Columns aligned for a terminal, numbers to the right, times to the second."""
    cells = [[_cell(value, CELL_WIDTH if room else None) for value in row] for row in rows]
    right = [all(_is_number(value) for value in column) for column in zip(*rows, strict=True)] or [False] * len(columns)
    widths = [max(map(_width, column)) for column in zip(columns, *cells, strict=True)]
    if room and rows:
        least = [0 if is_right else _least(name, cell) for name, is_right, cell in zip(columns, right, cells[0], strict=True)]
        widths = _fitted(widths, least, room)
        columns, *cells = [[_cut(text, width) for text, width in zip(line, widths, strict=True)] for line in (columns, *cells)]
    lines = [columns, ["─" * width for width in widths], *cells]
    return "".join(f"{'  '.join(_padded(line, widths, right)).rstrip()}\n" for line in lines)


def entries(found: Iterable[Sequence[str]], room: int | None = None) -> str:
    """Names, each with its texts indented below it and wrapped, so that nothing is cut. Empty texts are left out."""
    width = max(NARROWEST_ID, (room or LISTING_WIDTH) - 1)
    lines = []
    for name, *texts in found:
        lines.append(name)
        for text in filter(None, texts):
            lines += textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return "".join(f"{line}\n" for line in lines)


def _least(name: str, cell: str) -> int:
    if _SECOND.fullmatch(cell):
        return 0
    return NARROWEST_ID if name.endswith("_id") else NARROWEST


def _fitted(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widest texts give way first, a later one before an earlier one; a column with `least` 0 keeps its width."""
    fitted = list(widths)
    over = sum(fitted) + 2 * (len(fitted) - 1) - room
    for _ in range(max(0, over)):
        yielding = [n for n, width in enumerate(fitted) if least[n] and width > least[n]]
        if not yielding:
            break
        fitted[max(yielding, key=lambda n: (fitted[n], n))] -= 1
    return fitted


def _cell(value: Any, most: int | None) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = harmless(_text(value))
    moment = _MOMENT.fullmatch(text)
    if moment:
        return f"{moment[1]} {moment[2]}"
    return _cut(text, most) if most else text


def _cut(text: str, most: int) -> str:
    if _width(text) <= most:
        return text
    kept = next((end for end in range(most - 1, 0, -1) if _width(text[:end]) < most), 0)
    return f"{text[:kept]}…"


def _padded(line: Iterable[str], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    for text, width, is_right in zip(line, widths, right, strict=True):
        space = " " * (width - _width(text))
        yield space + text if is_right else text + space


def _width(text: str) -> int:
    """Columns on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
