"""Rows as table, csv, json, jsonl or markdown. Values are JSON values; text of logs stays data in every format."""

import csv
import io
import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from flows.console import harmless

FORMATS = ("table", "csv", "json", "jsonl", "markdown")
CELL_WIDTH = 120
"""Of a text in a table; the other formats give it whole."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins so is a formula to a spreadsheet."""

Rows = Sequence[Sequence[Any]]


def render(columns: Sequence[str], rows: Rows, form: str) -> str:
    """The whole answer in one of FORMATS."""
    return {"table": table, "csv": comma_separated, "json": as_json, "jsonl": json_lines, "markdown": markdown}[form](
        columns, rows
    )


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


def table(columns: Sequence[str], rows: Rows) -> str:
    """Columns aligned for a terminal, numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(columns, *cells, strict=True)]
    right = [all(_is_number(value) for value in column) for column in zip(*rows, strict=True)] or [False] * len(columns)
    lines = [columns, ["─" * width for width in widths], *cells]
    return "".join(f"{'  '.join(_padded(line, widths, right)).rstrip()}\n" for line in lines)


def _cell(value: Any) -> str:
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else harmless(_text(value))
    if _width(text) <= CELL_WIDTH:
        return text
    kept = next(end for end in range(CELL_WIDTH - 1, 0, -1) if _width(text[:end]) < CELL_WIDTH)
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
