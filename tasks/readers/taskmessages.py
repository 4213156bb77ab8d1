"""The messages that Cline and Roo Code send -> items. Shared by both: one grew out of the other.

Tools are used natively, or as tags amid an answer's text; results come back natively, or as text under a line that names the
tool. What a person says later stands in tags inside of results.
"""

import re
from collections.abc import Sequence
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import SeenItem
from tasks.readers import contents
from tasks.readers.draft import Draft
from tasks.readers.taskwords import TOOLS, answered, between_breaks
from tasks.readers.values import canonical, enclosed, file_named, text

ENVIRONMENT = "<environment_details>"
_USE, _ARGUMENT = "|".join(TOOLS), "[a-z_]+"
_THINKING = re.compile(r"\s*<thinking>\n?(.*?)\n?</thinking>\s*", re.DOTALL)
_RESULT = re.compile(r"\[(?P<tool>[a-z_]+)(?: [^\n]*)?\] Result:(?P<said>.*)", re.DOTALL)
_TASK = re.compile(r"\s*<(task|user_message|feedback|answer)>\n?(.*?)\n?</\1>\s*", re.DOTALL)
_INPUT = re.compile(r"\s*<(user_input|user_command)\b[^>]*>(.*?)</\1>\s*", re.DOTALL)
_NOTICE = re.compile(r"\s*<mode_notice>.*?</mode_notice>\s*", re.DOTALL)
_ASKING = ("ask_followup_question", "attempt_completion", "plan_mode_respond", "act_mode_respond", "new_task", "condense")
"""Tools whose result is what a person answered."""
_REFUSED = ("The tool execution failed", "The user denied", "[ERROR]", "<error>")
_MARKS = ("The user ", "[", "New ", "Task was", "You ")
"""Begin the program's words around what a person said."""


class Talk:
    """What the messages so far mean for the next one."""

    def __init__(self, draft: Draft, *, is_subtask: bool, is_plain: bool = False) -> None:
        self.draft = draft
        self.is_plain = is_plain
        """Text without a tag is a person's; else it is the program's."""
        self.names: dict[str, str] = {}
        """Of the tools that were called natively, by the call's id."""
        self.is_subtask = is_subtask
        """The first task was given by another agent."""
        self.waiting: list[tuple[str, str, str | None]] = []
        """Id, name and file of the calls in text whose results are due."""
        self.count = 0
        self.request_id: str | None = None
        self._has_task = False

    def message(self, message: dict[str, Any], request_id: str | None = None) -> None:
        """Books the items of one message."""
        self.request_id = request_id
        blocks = message.get("content")
        blocks = blocks if isinstance(blocks, list) else [blocks]
        role = text(message.get("role")) or "unknown"
        if role == "assistant":
            self._thought(text(message.get("reasoning_content")))
            for block in blocks:
                self._answer(block)
        elif role == "user":
            self._told(blocks)
        else:
            self._say(ItemKind.UNKNOWN, blocks, role)

    def summary(self, message: dict[str, Any]) -> SeenItem | None:
        """Books a message that stands for the ones before it."""
        role, first = text(message.get("role")) or "user", None
        for part in contents.parts(message.get("content")):
            is_environment = part.text.startswith(ENVIRONMENT)
            kind = ItemKind.INJECTED if is_environment else ItemKind.COMPACTION_SUMMARY
            if part.type == "reasoning":
                self._thought(text(part.data.get("text")))
            elif part.type == contents.TEXT:
                item = self.draft.item(kind, part.text, role=role, request_id=None)
                first = first or (None if is_environment else item)
            else:
                self.draft.item(ItemKind.UNKNOWN, part.text, role=role)
        return first

    def _answer(self, block: Any) -> None:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_use":
            given, written = contents.arguments(block.get("input"))
            call_id, name = text(block.get("id")), text(block.get("name"))
            self._call(call_id, name, given, written)
            self.names[call_id or ""] = name or ""
        elif kind in ("thinking", "reasoning"):
            self._thought(text(block.get("thinking")) or text(block.get("text")))
        elif kind in ("redacted_thinking", "thoughtSignature"):
            pass
        else:
            for part in contents.parts(block):
                if part.type == contents.TEXT:
                    self._text(part.text)
                else:
                    self._part(ItemKind.UNKNOWN, part, "assistant")

    def _text(self, said: str) -> None:
        """An answer's text around the thoughts and the tools in it."""
        thought = _THINKING.match(said)
        if thought:
            self._thought(thought[1])
            said = said[thought.end() :]
        at = 0
        for use in enclosed(said, _USE):
            self._words(said[at : use.start])
            given = {one.tag: between_breaks(one.inside) for one in enclosed(use.inside, _ARGUMENT)}
            self.count += 1
            name = f"tool-{self.count}"
            self._call(name, use.tag, given, canonical(given))
            self.waiting.append((name, use.tag, file_named(given)))
            at = use.end
        self._words(said[at:] if at else said, is_whole=not at and not thought)

    def _words(self, said: str, *, is_whole: bool = False) -> None:
        if said.strip() or (is_whole and said):
            self.draft.item(ItemKind.ASSISTANT_TEXT, said, role="assistant", request_id=self.request_id)

    def _thought(self, thought: str | None) -> None:
        if thought:
            self.draft.item(ItemKind.REASONING, thought, role="assistant", request_id=self.request_id)

    def _call(self, call_id: str | None, name: str | None, given: dict[str, Any], written: str) -> None:
        self.draft.item(
            ItemKind.TOOL_CALL, written, role="assistant", request_id=self.request_id, call_id=call_id, tool_name=name,
            path=file_named(given),
        )  # fmt: skip

    def _told(self, blocks: Sequence[Any]) -> None:
        """A user's message: results, what the program adds, and what a person said."""
        head: str | None = None
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                self._native(block)
                continue
            for part in contents.parts(block):
                if part.type != contents.TEXT:
                    self._part(ItemKind.UNKNOWN, part, "user")
                    continue
                found = _RESULT.fullmatch(part.text)
                if found and not found["said"].strip():
                    self._result(head, "") if head else None
                    head = part.text
                elif head is not None and not part.text.startswith(ENVIRONMENT):
                    self._result(head, part.text)
                    head = None
                elif found:
                    self._result(part.text[: found.start("said")], found["said"])
                else:
                    self._result(head, "") if head else None
                    head = None
                    self._spoken(part.text)
        if head:
            self._result(head, "")

    def _native(self, block: dict[str, Any]) -> None:
        parts = contents.parts(block.get("content"))
        said = "\n".join(part.text for part in parts if part.type == contents.TEXT)
        call_id = text(block.get("tool_use_id"))
        tool = text(block.get("name")) or self.names.get(call_id or "")
        self._book("", said, call_id, tool, None, block.get("is_error") is True)
        for part in parts:
            if part.type != contents.TEXT:
                self._part(ItemKind.UNKNOWN, part, "tool")

    def _result(self, head: str, said: str) -> None:
        """A result in text, of the first call in text with its tool."""
        named = _RESULT.match(head)
        tool = named["tool"] if named else None
        call = next((one for one in self.waiting if one[1] == tool), None)
        self.waiting = [one for one in self.waiting if one is not call]
        call_id, _, path = call or (None, None, None)
        self._book(f"{head}\n", said, call_id, tool, path, said.lstrip().startswith(_REFUSED))

    def _book(self, *what: Any) -> None:
        """A result, and apart from it what a person answered in it."""
        head, said, call_id, tool, path, failed = what
        typed = answered(said) if tool in _ASKING or said.lstrip().startswith("The user ") else None
        rest = said if typed is None else typed[1]
        self.draft.item(
            ItemKind.TOOL_RESULT, head + rest if rest else head.rstrip("\n"), role="tool", call_id=call_id, tool_name=tool,
            path=path, flags=("error",) if failed else (),
        )  # fmt: skip
        if typed is not None:
            self._typed(typed[0])

    def _spoken(self, said: str) -> None:
        """Text of a user's message that is no result."""
        notice = _NOTICE.match(said)
        if notice:
            self._inject(notice[0])
            said = said[notice.end() :]
        task = _TASK.fullmatch(said) or _INPUT.fullmatch(said)
        typed = answered(said) if said.startswith(_MARKS) else None
        if task:
            self._typed(task[2])
        elif typed is not None and not self.is_plain:
            self._inject(typed[1])
            self._typed(typed[0])
        elif self.is_plain and not said.startswith(ENVIRONMENT):
            self._typed(said)
        else:
            self._inject(said)

    def _inject(self, said: str) -> None:
        if said:
            self.draft.item(ItemKind.INJECTED, said, role="user")

    def _typed(self, said: str) -> None:
        is_given = self.is_subtask and not self._has_task
        self._has_task = True
        if said:
            item = self.draft.item(ItemKind.INJECTED if is_given else ItemKind.USER_TEXT, said, role="user")
            item.starts_turn = is_given

    def _say(self, kind: ItemKind, blocks: Sequence[Any], role: str) -> None:
        for part in contents.parts(list(blocks)):
            self._part(kind, part, role)

    def _part(self, kind: ItemKind, part: contents.Part, role: str) -> None:
        what = {contents.TEXT: kind, contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
        if part.type == "file" and text(part.data.get("content")):
            self.draft.item(ItemKind.INJECTED, part.data["content"], role=role, path=text(part.data.get("path")))
        else:
            self.draft.item(what, part.text, role=role, size=part.size)
