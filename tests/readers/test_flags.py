"""Flags are one vocabulary: what a reader sets is explained in its README, and what is explained there is set somewhere."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from readers.test_reader_cases import CASES, FOLDER, log_of
from readings import read

READERS = Path(__file__).parents[2] / "tasks" / "readers"
README = (READERS / "README.md").read_text(encoding="utf-8").partition("## Flags")[2]
LISTED = {
    flag for row in README.splitlines() if row.startswith("| `") for flag in re.findall(r"`([a-z_0-9]+)", row.split("|")[1])
}
CODEX = [f"codex/{case.name}" for case in (FOLDER / "codex").iterdir()]


def literals(value: ast.expr | None) -> Iterator[str]:
    """Texts that an expression may give, not those that it compares or looks up."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, ast.JoinedStr):
        yield from literals(value.values[0])
    inner = {
        ast.Tuple: ("elts",), ast.List: ("elts",), ast.Starred: ("value",), ast.IfExp: ("body", "orelse"),
        ast.BinOp: ("left", "right"), ast.Dict: ("keys",),
    }.get(type(value), ())  # fmt: skip
    for name in inner:
        found = getattr(value, name)
        for one in found if isinstance(found, list) else [found]:
            yield from literals(one)


def written(tree: ast.AST) -> Iterator[str]:
    """Flags in what is given, or named, as such."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "flags":
            yield from literals(node.value)
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(re.search(r"\b(?:flags|marks)$", ast.unparse(target)) for target in targets):
                yield from literals(node.value)


@pytest.mark.parametrize("file", sorted(READERS.glob("*.py")), ids=lambda file: file.stem)
def test_a_flag_in_the_code_is_explained(file: Path):
    flags = {flag.partition(":")[0] for flag in written(ast.parse(file.read_text(encoding="utf-8")))}
    assert flags - {""} <= LISTED


@pytest.mark.parametrize("name", [*CASES, *CODEX])
def test_a_flag_of_a_row_is_explained(name: str, tmp_path: Path):
    _, reading = read(log_of(FOLDER / name, tmp_path))
    rows = (*reading.records, *reading.sessions, *reading.requests, *reading.items)
    assert {flag.partition(":")[0] for row in rows for flag in row.flags} <= LISTED


def test_an_explained_flag_is_set_by_a_reader():
    code = "\n".join(file.read_text(encoding="utf-8") for file in READERS.glob("*.py"))
    assert {flag for flag in LISTED if not re.search(rf"\b{flag}\b", code)} == set()
