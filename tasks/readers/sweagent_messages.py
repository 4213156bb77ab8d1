"""The messages of SWE-agent's history -> items."""

from collections.abc import Sequence
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.readers import contents
from tasks.readers.draft import Draft
from tasks.readers.values import canonical, fields, file_named, objects, text

ELIDED = "Old environment output:"
COMMANDS = (
    "open", "goto", "create", "edit", "insert", "append", "scroll_up", "scroll_down", "find_file", "search_dir", "search_file",
    "submit", "exit_forfeit", "exit_cost", "str_replace_editor", "view_image", "filemap",
)  # fmt: skip
"""Of the agent's own interface; any other command is the shell's."""


class Told:
    """What the messages so far mean for the next one."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.waiting: list[tuple[str, str, str | None]] = []
        """Id, tool and path of the calls whose results are due."""
        self.actions = 0

    def message(self, message: dict[str, Any], *, on_path: bool = True, **facts: Any) -> None:
        """Books the items of one message; `facts` are about a result. In the format without tool calls the result of an
        action is the user's next message."""
        role = text(message.get("role")) or "unknown"
        parts = contents.parts(message.get("content"))
        if message.get("is_demo") is True:
            self._say(ItemKind.INJECTED, role, parts, on_path, ("demo",))
        elif role == "system":
            self._say(ItemKind.SYSTEM, role, parts, on_path)
        elif role == "assistant":
            self._answer(message, parts, on_path)
        elif role == "tool" or (role == "user" and self.waiting):
            self._result(message, role, parts, on_path=on_path, **facts)
        elif role == "user":
            self._say(ItemKind.USER_TEXT, role, parts, on_path)
        else:
            self._say(ItemKind.UNKNOWN, role, parts, on_path)

    def _say(self, kind: ItemKind, role: str, parts: Sequence[contents.Part], on_path: bool, flags: Sequence[str] = ()) -> None:
        for part in parts:
            what = {contents.TEXT: kind, contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
            self.draft.item(what, part.text, role=role, on_path=on_path, flags=flags, size=part.size)

    def _answer(self, message: dict[str, Any], parts: Sequence[contents.Part], on_path: bool) -> None:
        self.waiting = []
        for thought in _reasoning(message):
            self.draft.item(ItemKind.REASONING, thought, role="assistant", on_path=on_path)
        calls = objects(message.get("tool_calls"))
        action = text(message.get("action"))
        if not calls and action and isinstance(message.get("thought"), str):
            # The content repeats the action behind the thought, in the fences of the day.
            parts = contents.parts(message["thought"])
        self._say(ItemKind.ASSISTANT_TEXT, "assistant", parts, on_path)
        for call in calls:
            self._call(call, on_path)
        if not calls and action:
            self.actions += 1
            name = action.split(maxsplit=1)[0] if action.strip() else ""
            self._book(f"action-{self.actions}", name if name in COMMANDS else "bash", {"command": action}, None, on_path)

    def _call(self, call: dict[str, Any], on_path: bool) -> None:
        function = fields(call.get("function"))
        arguments, written = contents.arguments(function.get("arguments"))
        self._book(text(call.get("id")), text(function.get("name")), arguments, written, on_path)

    def _book(
        self, call_id: str | None, name: str | None, arguments: dict[str, Any], written: str | None, on_path: bool
    ) -> None:
        path = file_named(arguments) or _named(name, arguments)
        self.draft.item(
            ItemKind.TOOL_CALL, canonical(arguments) if written is None else written, role="assistant", call_id=call_id,
            tool_name=name, path=path, on_path=on_path,
        )  # fmt: skip
        self.waiting.append((call_id or "", name or "", path))

    def _result(self, message: dict[str, Any], role: str, parts: Sequence[contents.Part], **facts: Any) -> None:
        ids = message.get("tool_call_ids")
        named = next((one for one in ids if isinstance(one, str)), None) if isinstance(ids, list) else None
        known = next((one for one in self.waiting if one[0] == named), None) or (self.waiting[0] if self.waiting else None)
        self.waiting = [one for one in self.waiting if one is not known]
        call_id, name, path = known or (None, None, None)
        self.draft.item(
            ItemKind.TOOL_RESULT, "\n".join(part.text for part in parts if part.type == contents.TEXT), role=role,
            call_id=named or call_id or None, tool_name=name or None, path=path, **facts,
        )  # fmt: skip
        self._say(ItemKind.IMAGE, role, [part for part in parts if part.type != contents.TEXT], facts["on_path"])


def pruned(history: Sequence[dict[str, Any]], shown: Sequence[dict[str, Any]]) -> set[int]:
    """The messages of which the last prompt shows no more than that they were left out."""
    pairs = enumerate(zip(history, shown, strict=False))
    return {
        no
        for no, (said, seen) in pairs
        if contents.plain(seen.get("content")).startswith(ELIDED) and said.get("content") != seen.get("content")
    }


def _reasoning(message: dict[str, Any]) -> list[str]:
    blocks = [text(block.get("thinking")) for block in objects(message.get("thinking_blocks"))]
    thoughts = [thought for thought in blocks if thought]
    whole = text(message.get("reasoning_content"))
    return thoughts or ([whole] if whole else [])


def _named(name: str | None, arguments: dict[str, Any]) -> str | None:
    """The file that a command of the interface names first."""
    words = (text(arguments.get("command")) or "").split("\n", 1)[0].split()
    return words[1].strip("\"'") if name in ("open", "create") and len(words) > 1 else None
