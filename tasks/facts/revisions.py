"""Which state of the repository the log knows at each moment: commits that git printed, and what was changed since. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.facts.touches import Touch
from tasks.tokens.taxonomy import shell_command

_HEAD = re.compile(r"\bgit (?:-C \S+ )?rev-parse (?:--short(?:=\d+)? )?HEAD\b")
_LOG = re.compile(r"\bgit (?:-C \S+ )?(?:--no-pager )?log(?: -\d+| -n ?\d+| --oneline| --decorate| --stat)*\s*(?:$|[|;&\n])")
_COMMIT = re.compile(r"\bgit (?:-C \S+ )?commit\b")
_ADDS_ALL = re.compile(r"\bgit (?:-C \S+ )?(?:add (?:-A|--all|-u|\.)(?:\s|$)|commit (?:\S+ )*?(?:-\w*a\w*|--all)\b)")
_ADDED = re.compile(r"\bgit (?:-C \S+ )?add ([^-\n;&|][^\n;&|]*)")
_MOVES = re.compile(r"\bgit (?:-C \S+ )?(?:checkout|switch|pull|merge|rebase|reset|revert|cherry-pick|am)\b")
_SHA = re.compile(r"^([0-9a-f]{7,40})$", re.M)
_LOGGED = re.compile(r"\A\s*(?:commit )?([0-9a-f]{7,40})\b")
_COMMITTED = re.compile(r"^\[[^\]\n]{1,200}? ([0-9a-f]{7,40})\]", re.M)
LOOKED_AT = 20_000
"""Characters of a result; git says at the start what it did."""


@dataclass
class Tree:
    """The working tree as the log tells of it, up to one moment."""

    commit: str = ""
    dirty: set[str] = field(default_factory=set)
    """Paths changed since, as logged."""
    staged: set[str] = field(default_factory=set)

    @property
    def revision(self) -> str:
        return f"{self.commit}+dirty" if self.commit and self.dirty else self.commit

    def see(self, call: Item, result: Item | None, changed: Iterable[Touch]) -> None:
        """Takes in one call, with what came of it."""
        self.dirty |= {touch.path for touch in changed}
        command = shell_command(call.text)[:LOOKED_AT] if "git " in call.text else ""
        if command:
            self._see_git(command, result.text[:LOOKED_AT] if result else "")

    def _see_git(self, command: str, said: str) -> None:
        if _ADDS_ALL.search(command):
            self.staged |= self.dirty
        for added in _ADDED.findall(command):
            self.staged |= {path for path in self.dirty for word in added.split() if path == word or path.endswith("/" + word)}
        if _MOVES.search(command):
            self.commit = ""
        if _COMMIT.search(command) and (made := _COMMITTED.search(said)):
            self.commit = made[1]
            self.dirty -= self.staged
            self.staged = set()
        if found := (_HEAD.search(command) and _SHA.search(said)) or (_LOG.search(command) and _LOGGED.match(said)):
            self.commit = found[1]


def revisions(items: Iterable[Item], touched: Iterable[Touch], commit: str = "") -> Mapping[str, str]:
    """Item id of each call -> the revision when it was made; empty where none is known. `commit`: at its start."""
    ordered = list(items)
    results = {item.call_id: item for item in ordered if item.kind == ItemKind.TOOL_RESULT and item.call_id}
    changes: dict[str, list[Touch]] = {}
    for touch in touched:
        if touch.is_change:
            changes.setdefault(touch.call.item_id, []).append(touch)
    tree, known = Tree(commit), dict[str, str]()
    for item in ordered:
        if item.kind == ItemKind.TOOL_CALL:
            known[item.item_id] = tree.revision
            tree.see(item, results.get(item.call_id or ""), changes.get(item.item_id, ()))
    return known
