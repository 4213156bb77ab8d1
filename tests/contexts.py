"""Contexts for tests of policies, said in a few words: who said what, call by call."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

from tasks.compaction.plan import Context
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

CATEGORIES = {
    "Read": "read", "Edit": "edit", "Write": "edit", "Bash": "shell", "Grep": "search", "Glob": "search", "TodoWrite": "plan",
    "Task": "subagent", "WebFetch": "web",
}  # fmt: skip


def words(text: str) -> int:
    """Tokens in these tests: words, so that every expected number can be counted by eye."""
    return len(text.split())


@dataclass
class Talk:
    """A conversation, written item by item; each `call` belongs to a model call of its own unless `together`."""

    items: list[Item] = field(default_factory=list)
    turn: int = 0
    no: int = 1

    def _add(self, kind: ItemKind, text: str, **facts: Any) -> "Talk":
        seq = len(self.items)
        told = {"turn": self.turn, "request_no": self.no, "tokens": words(text), "line_no": seq + 1, **facts}
        self.items.append(Item(f"t:{seq}", "loom:1", seq, kind, text, **told))
        return self

    def user(self, text: str, **facts: Any) -> "Talk":
        """What a person typed: it starts a turn."""
        self.turn += 1
        return self._add(ItemKind.USER_TEXT, text, role="user", starts_turn=True, **facts)

    def say(self, text: str, **facts: Any) -> "Talk":
        return self._add(ItemKind.ASSISTANT_TEXT, text, role="assistant", **facts)

    def think(self, text: str, **facts: Any) -> "Talk":
        return self._add(ItemKind.REASONING, text, role="assistant", **facts)

    def inject(self, text: str, **facts: Any) -> "Talk":
        return self._add(ItemKind.INJECTED, text, role="user", **facts)

    def summary(self, text: str, **facts: Any) -> "Talk":
        return self._add(ItemKind.COMPACTION_SUMMARY, text, role="user", **facts)

    def call(self, tool: str, result: str | None = None, *, error: bool = False, **arguments: Any) -> "Talk":
        """A tool call with these arguments and its result; without a result it is still running."""
        path = arguments.get("file_path") or arguments.get("path")
        name, category = f"c{len(self.items)}", CATEGORIES.get(tool, "other")
        facts = {"tool_name": tool, "tool_category": category, "call_id": name, "path": path}
        text = json.dumps(arguments, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self._add(ItemKind.TOOL_CALL, text, role="assistant", **facts)
        self.no += 1
        if result is not None:
            self._add(ItemKind.TOOL_RESULT, result, role="tool", flags=("error",) if error else (), **facts)
        return self

    def context(self, **facts: Any) -> Context:
        """What the window holds when the next call is about to be sent."""
        told = {"now": self.no, "count": words, "turn": self.turn, **facts}
        return Context(tuple(self.items), tuple(item.request_no or 0 for item in self.items), **told)

    def without_counts(self) -> "Talk":
        """The same, where nobody counted yet."""
        return replace(self, items=[replace(item, tokens=None) for item in self.items])
