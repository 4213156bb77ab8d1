"""Which files a session changed after it had read them, as far as its calls say: for certain, or possibly. Pure."""

import posixpath
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.compaction.cut import results_of
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.files import files
from tasks.facts.lines import strings

_SEPARATORS = re.compile(r"\s*(?:&&|\|\||;|\||\n)\s*")
_REDIRECTED = re.compile(r"(?<![0-9&<>-])>{1,2}\s*([^\s&|;<>]+)")
_WRITERS = {"tee", "rm", "mv", "cp", "truncate", "patch"}
_POSSIBLE = re.compile(
    r"^(?:git (?:checkout|restore|stash|apply|reset|pull|merge|rebase|revert|cherry-pick)\b"
    r"|ruff (?:format|check .*--fix)|black\b|isort\b|gofmt -w|go fmt|go generate|cargo (?:fmt|fix)"
    r"|(?:npx )?prettier .*(?:-w\b|--write)|(?:npx )?eslint .*--fix"
    r"|clang-format -i|(?:python3?|node|perl|ruby) )"
)


@dataclass(frozen=True, slots=True)
class Written:
    """One call that changed a file, or may have."""

    position: int
    turn: int | None
    path: str | None
    """None where the call does not say which files."""
    is_certain: bool


def written(items: Sequence[Item]) -> list[Written]:
    """In order. A call that failed changed nothing for certain: what a command did before it failed, nobody knows."""
    results = results_of(items)
    found: list[Written] = []
    for at, item in enumerate(items):
        if item.kind != ItemKind.TOOL_CALL or item.is_sidechain:
            continue
        result = results.get(item.call_id or "")
        failed = result is not None and "error" in items[result].flags
        if item.tool_category == ToolCategory.SHELL:
            told = _by_command(item)
            found += [Written(at, item.turn, path, is_certain and not failed) for path, is_certain in told]
        elif item.tool_category != ToolCategory.PLAN and not failed:
            edits = [touch.path for touch in files([item]) if touch.was_edited]
            found += [Written(at, item.turn, path, True) for path in edits]
    return found


def mark(path: str, position: int, changes: Iterable[Written], cwd: str | None = None) -> str:
    """What a reference says of the present: nothing, or that the file was edited since it was read, or may have been."""
    later = [one for one in changes if one.position > position and (one.path is None or same(one.path, path, cwd))]
    certain = [one for one in later if one.is_certain]
    if certain:
        return f"[STALE: edited turn {certain[-1].turn or 0}]"
    return f"[STALE?: possible change turn {later[-1].turn or 0}]" if later else ""


def same(one: str, other: str, cwd: str | None = None) -> bool:
    """Whether two paths, as logged, are one file; a relative one stands under a folder that is not always known."""
    a, b = _whole(one, cwd), _whole(other, cwd)
    if a == b:
        return True
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    return _is_absolute(longer) and not _is_absolute(shorter) and longer.endswith("/" + shorter)


def _by_command(item: Item) -> list[tuple[str | None, bool]]:
    """(path, whether it is certain) for what a command writes."""
    found: list[tuple[str | None, bool]] = []
    for script in strings(item.text):
        found += [(path, True) for path in _REDIRECTED.findall(script) if not path.startswith("/dev/")]
        for command in _SEPARATORS.split(script):
            found += _by_program(command.strip())
    return found


def _by_program(command: str) -> list[tuple[str | None, bool]]:
    words = _words(command)
    if not words:
        return []
    named = [word for word in words[1:] if not word.startswith("-") and word not in (">", ">>")]
    if words[0] in _WRITERS or (words[0] == "sed" and any(word.startswith("-i") for word in words)):
        return [(path, True) for path in named]
    if not _POSSIBLE.match(command):
        return []
    paths = [word for word in named if "/" in word or "." in word.strip(".")]
    return [(path, False) for path in paths] if words[0] == "git" and paths else [(None, False)]


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _whole(path: str, cwd: str | None) -> str:
    path = path.replace("\\", "/")
    if cwd and not _is_absolute(path):
        path = posixpath.join(cwd.replace("\\", "/"), path)
    return posixpath.normpath(path)


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:3] == ":/"
