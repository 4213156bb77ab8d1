"""Builders of sessions for tests: `Talk().user("fix it").call("Read", path="a.py").result("...").items`."""

import json
from typing import Any, Self

from tasks.domain.item import Item

CATEGORIES = {"Read": "read", "Edit": "edit", "Write": "edit", "Bash": "shell", "Grep": "search", "TodoWrite": "plan"}


class Talk:
    """One session, said item by item; a log line per item, from 1."""

    def __init__(self, session: str = "claude-code:1") -> None:
        self.session = session
        self.items: list[Item] = []
        self.turn = 0
        self._call = ("", "")

    def user(self, text: str) -> Self:
        self.turn += 1
        return self.add("user_text", text, starts_turn=True)

    def says(self, text: str) -> Self:
        return self.add("assistant_text", text)

    def call(self, tool: str, *, path: str | None = None, **arguments: Any) -> Self:
        self._call = (f"call-{len(self.items)}", tool)
        text = json.dumps(arguments or {"file_path": path}, ensure_ascii=False)
        return self.add(
            "tool_call", text, tool_name=tool, tool_category=CATEGORIES.get(tool, "other"), call_id=self._call[0], path=path
        )

    def result(self, text: str) -> Self:
        return self.add("tool_result", text, tool_name=self._call[1], call_id=self._call[0])

    def add(self, kind: str, text: str, **more: Any) -> Self:
        number = len(self.items) + 1
        self.items.append(
            Item(f"{self.session}/{number}", self.session, number, kind, text, **{"turn": self.turn, "line_no": number, **more})
        )
        return self
