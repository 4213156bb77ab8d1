"""Files that a shell command reads or changes, as far as its words tell. Pure; made for what agents type, not to be a shell."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tasks.tokens.commands import simple_commands

LONGEST = 20_000
"""Characters of a command that are taken apart; what is longer is data in a here-document."""
EVERYTHING = "."
"""The path of a change that may be anywhere in the working tree."""


class ShellTouch(NamedTuple):
    """One file, or folder, or pattern of names, and what a command does to it."""

    path: str
    """Below the folder that a `cd` before it names."""
    op: str
    """read, search, write, edit, delete, restore, format or generate."""
    is_certain: bool = True
    first_line: int | None = None
    last_line: int | None = None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READERS = _words("cat head tail nl less more bat batcat view open type")
_SEARCHERS = _words("grep egrep fgrep rg ag")
_FORMATTERS = {
    "black": (), "isort": (), "autopep8": ("-i", "--in-place"), "prettier": ("--write", "-w"), "gofmt": ("-w",),
    "goimports": ("-w",), "rustfmt": (), "clang-format": ("-i",), "yapf": ("-i", "--in-place"), "shfmt": ("-w",),
    "eslint": ("--fix",), "stylelint": ("--fix",), "rubocop": ("-a", "-A", "--autocorrect"), "standard": ("--fix",),
    "ruff format": (), "ruff check": ("--fix",), "biome format": ("--write",), "biome check": ("--write", "--apply"),
    "cargo fmt": (), "cargo fix": (), "go fmt": (), "dotnet format": (), "terraform fmt": (), "deno fmt": (), "mix format": (),
}  # fmt: skip
"""Program -> options of which one must be there for it to write."""
_GENERATORS = re.compile(
    r"(?:protoc|buf generate|go generate|prisma generate|alembic revision|openapi-generator(?:-cli)?|swag init|sqlc generate"
    r"|graphql-codegen|rails generate|rails g|mockgen|bindgen|flatc|patch|(?:npm|pnpm|yarn|bun|make|just)(?: run)? "
    r"(?:generate|codegen|gen)\S*)\b"
)
_GIT_ANYWHERE = _words("pull merge rebase switch revert cherry-pick am apply")
_BEFORE = _words("sudo time env command exec npx bunx pnpx uvx poetry pipenv uv run bundle python python3 -m then do else !")
_SED_RANGE = re.compile(r"(\d{1,9})(?:,(\d{1,9}|\$))?p")
_HEAD = re.compile(r"(?:^| )-(?:n ?|-lines[= ])?(\d{1,9})\b")
_SCRIPTED = re.compile(
    r"\bopen\(\s*[rf]?['\"]([^'\"\n]{1,300})['\"]\s*,\s*['\"][wax]"
    r"|\bPath\(\s*['\"]([^'\"\n]{1,300})['\"]\s*\)\.write_(?:text|bytes)\("
    r"|\bwriteFileSync\(\s*['\"]([^'\"\n]{1,300})['\"]"
)
_OF_LINES, _OF_SEARCHES = _words("-n -c --lines --bytes"), _words("-e -f -A -B -C -m -g -t --type --glob --include --max-count")
_TAKES_VALUE = {"head": _OF_LINES, "tail": _OF_LINES, "sed": _words("-e -f"), **dict.fromkeys(_SEARCHERS, _OF_SEARCHES)}
"""Program -> options whose value is a word of its own."""


def shell_touches(command: str) -> list[ShellTouch]:
    """What a command does to files, in the order of its words."""
    folder, found = "", list[ShellTouch]()
    for command_words in simple_commands(command[:LONGEST]):
        words, written = _without_redirections(command_words)
        while words and (words[0] in _BEFORE or re.match(r"\w+=", words[0])):
            words = words[1:]
        if words and words[0] == "cd":
            folder = posixpath.join(folder, words[1]) if len(words) > 1 else ""
            continue
        touched = [*(_of_program(words) if words else ()), *(ShellTouch(path, "write") for path in written)]
        found += [touch._replace(path=posixpath.join(folder, touch.path)) for touch in touched if _is_path(touch.path)]
    for groups in _SCRIPTED.findall(command[:LONGEST]):
        found.append(ShellTouch(posixpath.join(folder, next(filter(None, groups))), "edit", is_certain=False))
    return [touch if "*" not in touch.path else touch._replace(is_certain=False) for touch in found]


def _is_path(path: str) -> bool:
    return bool(path) and not any(mark in path for mark in "$`\n") and not path.startswith(("/dev/", "-", "&"))


def _without_redirections(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words without `> file` and the like, and the files written."""
    kept: list[str] = []
    written: list[str] = []
    skipped = False
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if skipped:
            skipped = False
        elif word and not word.strip("<>&|") and ("<" in word or ">" in word):
            skipped = True
            if ">" in word and "<" not in word and not following.isdigit():
                written.append(following)
            if kept and kept[-1].isdigit() and ">" in word:
                kept.pop()
        else:
            kept.append(word)
    return kept, written


def _of_program(words: list[str]) -> Iterator[ShellTouch]:
    program, rest = words[0].rsplit("/", 1)[-1], words[1:]
    named = _named(rest, _TAKES_VALUE.get(program, frozenset()))
    if program in _READERS:
        yield from _read(program, rest, named)
    elif program == "sed":
        yield from _sed(rest, named)
    elif program in _SEARCHERS:
        files = named[1:] if not {"-e", "-f"} & set(rest) else named
        op = "read" if len(files) == 1 and posixpath.splitext(files[0])[1] else "search"
        yield from (ShellTouch(path, op) for path in files)
    elif program == "tee":
        yield from (ShellTouch(path, "write") for path in named)
    elif program in ("rm", "unlink", "rmdir"):
        yield from (ShellTouch(path, "delete") for path in named)
    elif program in ("mv", "cp", "install", "ln") and len(named) > 1:
        yield from (ShellTouch(path, "delete") for path in named[:-1] if program == "mv")
        yield ShellTouch(named[-1], "write")
    elif program == "git":
        yield from _git(rest)
    else:
        yield from _formatted_or_generated(program, rest)


def _named(rest: Sequence[str], takes_value: frozenset[str]) -> list[str]:
    """Words that are no options, and no values of options that take one."""
    return [
        word
        for before, word in zip(["", *rest], rest, strict=False)
        if word and not word.startswith("-") and before not in takes_value
    ]


def _read(program: str, rest: Sequence[str], named: Sequence[str]) -> Iterator[ShellTouch]:
    asked = _HEAD.search(" ".join(rest)) if program == "head" else None
    last = int(asked[1]) if asked else 10 if program == "head" and "-c" not in rest else None
    first = 1 if last else None
    yield from (ShellTouch(path, "read", True, first, last) for path in named)


def _sed(rest: Sequence[str], named: Sequence[str]) -> Iterator[ShellTouch]:
    if any(word.startswith(("-i", "--in-place")) for word in rest):
        files = named[1:] if "-e" not in rest and "-f" not in rest else named
        yield from (ShellTouch(path, "edit") for path in files)
        return
    script = next((word for word in rest if not word.startswith("-")), "")
    shown = _SED_RANGE.fullmatch(script)
    first = int(shown[1]) if shown else None
    last = first if shown and not shown[2] else int(shown[2]) if shown and shown[2] != "$" else None
    files = [word for word in rest if not word.startswith("-")][1:]
    yield from (ShellTouch(path, "read", True, first, last) for path in files)


def _git(rest: Sequence[str]) -> Iterator[ShellTouch]:
    """`git checkout -- a` brings back a file; `git checkout main` and the like may change any."""
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in ("-C", "-c") else rest[1:]
    verb, words = (rest[0], rest[1:]) if rest else ("", [])
    named = [word for word in words if not word.startswith("-")]
    if verb in ("checkout", "restore"):
        paths = words[words.index("--") + 1 :] if "--" in words else named if verb == "restore" else []
        is_staged_only = "--staged" in words and "--worktree" not in words
        if paths and not is_staged_only:
            yield from (ShellTouch(path, "restore", path != EVERYTHING) for path in paths)
        elif verb == "checkout" and named and not {"-b", "-B", "--orphan"} & set(words):
            yield ShellTouch(EVERYTHING, "restore", False)
    elif verb in ("rm", "mv") and "--cached" not in words:
        yield from _of_program([verb, *words])
    elif (
        (verb == "stash" and (not named or named[0] in ("pop", "apply", "push", "save")))
        or (verb == "reset" and {"--hard", "--merge", "--keep"} & set(words))
        or (verb == "clean" and "-n" not in words)
        or (verb in _GIT_ANYWHERE and not {"--check", "--stat", "--abort"} & set(words))
    ):
        yield ShellTouch(EVERYTHING, "restore", False)


def _formatted_or_generated(program: str, rest: Sequence[str]) -> Iterator[ShellTouch]:
    name, words = (program, list(rest)) if program in _FORMATTERS else (" ".join([program, *rest[:1]]), list(rest[1:]))
    if name in _FORMATTERS:
        needed = _FORMATTERS[name]
        if {"--check", "--diff", "-l", "-d", "--list-different"} & set(words) or (needed and not set(needed) & set(words)):
            return
        named = [word for word in words if not word.startswith("-")]
        yield from (ShellTouch(path, "format", False) for path in named or [EVERYTHING])
    elif _GENERATORS.match(" ".join([program, *rest[:3]])):
        yield ShellTouch(EVERYTHING, "generate", False)
