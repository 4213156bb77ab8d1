"""The rows of Grok's chat history, as items."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.readers.draft import Draft
from tasks.readers.pictures import size_in
from tasks.readers.values import arguments, canonical, fields, objects, split_tagged, text

TYPES = {"system", "user", "reasoning", "assistant", "tool_result", "backend_tool_call"}
_TAGS = ("user_query", "user_info", "git_status", "system-reminder", "agent_skills", "mcp_servers", "project_layout")
_TYPED = "user_query"


class Rows:
    """Row by row; reasoning comes before the answer it led to."""

    def __init__(self, draft: Draft, *, is_task: bool = False) -> None:
        self.draft = draft
        self.is_task = is_task
        """Whether prompts come from another agent, as a sub-agent's do."""

    def add(self, record: Record) -> None:
        data = record.data
        kind = text(data.get("type")) or {"tool": "tool_result"}.get(str(data.get("role")), text(data.get("role"))) or "untyped"
        handler = {
            "system": self._system, "user": self._user, "reasoning": self._reasoning, "assistant": self._answer,
            "tool_result": self._result, "backend_tool_call": self._server_tool,
        }.get(kind)  # fmt: skip
        flags: tuple[str, ...] = () if handler else ("unknown_type",)
        flags += ("usage_uncounted",) if data.get("usage") else ()
        self.draft.record(record, kind, native_id=None, flags=flags)
        if handler:
            handler(data)

    def _system(self, data: dict[str, Any]) -> None:
        self._say(ItemKind.SYSTEM, words(data.get("content")), "system")

    def _say(self, kind: ItemKind, said: str, role: str, *, starts_turn: bool = False) -> None:
        if said:
            self.draft.item(kind, said, role=role).starts_turn = starts_turn

    def _user(self, data: dict[str, Any]) -> None:
        """Typed, but for what the program adds and says the reason of; a prompt may be wrapped, with notes around it."""
        reason = text(data.get("synthetic_reason")) or ""
        content = data.get("content")
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else _parts(content):
            said = text(part.get("text"))
            if part.get("type") in ("image", "image_url"):
                self.draft.item(ItemKind.IMAGE, "", role="user", size=size_in(part))
            elif said is None or part.get("type", "text") != "text":
                self.draft.item(ItemKind.UNKNOWN, canonical(part), role="user")
            elif reason.startswith("compact"):
                summary = self.draft.item(ItemKind.COMPACTION_SUMMARY, said, role="user")
                self.draft.compaction(None, summary_item_id=summary.item_id)
            elif reason not in ("", "interjection"):
                self.draft.item(ItemKind.INJECTED, said, role="user", flags=(f"reason:{reason}",))
            else:
                self._prompt(said)

    def _prompt(self, said: str) -> None:
        for tag, inside in split_tagged(said, _TAGS):
            is_asked = tag in (None, _TYPED)
            kind = ItemKind.USER_TEXT if is_asked and not self.is_task else ItemKind.INJECTED
            self._say(kind, inside, "user", starts_turn=is_asked and self.is_task)

    def _reasoning(self, data: dict[str, Any]) -> None:
        found = [said for name in ("summary", "content") for part in _parts(data.get(name)) if (said := text(part.get("text")))]
        self._say(ItemKind.REASONING, "\n\n".join(found) or words(data.get("content")), "assistant")

    def _answer(self, data: dict[str, Any]) -> None:
        inline = text(data.get("reasoning_content")) or text(fields(data.get("reasoning")).get("text")) or ""
        self._say(ItemKind.REASONING, inline, "assistant")
        self._say(ItemKind.ASSISTANT_TEXT, words(data.get("content")), "assistant")
        for call in objects(data.get("tool_calls")):
            function = fields(call.get("function")) or call
            said, path = arguments(function.get("arguments"))
            self.draft.item(
                ItemKind.TOOL_CALL, said, role="assistant", call_id=text(call.get("id")),
                tool_name=text(function.get("name")), path=path,
            )  # fmt: skip

    def _result(self, data: dict[str, Any]) -> None:
        flags = ("error",) if data.get("is_error") is True else ()
        self.draft.item(
            ItemKind.TOOL_RESULT, words(data.get("content")), role="tool", call_id=text(data.get("tool_call_id")), flags=flags
        )

    def _server_tool(self, data: dict[str, Any]) -> None:
        """A tool that the provider ran: the call, and what the row tells of its outcome."""
        kind = fields(data.get("kind"))
        action = fields(kind.get("action"))
        asked = {name: value for name, value in action.items() if name != "sources"} or kind.get("input") or kind.get("code")
        said, path = arguments(asked)
        call_id, name = text(kind.get("id")), text(kind.get("tool_type"))
        self.draft.item(ItemKind.TOOL_CALL, said, role="assistant", call_id=call_id, tool_name=name, path=path)
        if kind.get("status") in ("completed", "failed"):
            flags = ("error",) if kind.get("status") == "failed" else ()
            outcome = canonical(action["sources"]) if "sources" in action else ""
            self.draft.item(ItemKind.TOOL_RESULT, outcome, role="tool", call_id=call_id, flags=flags)


def _parts(content: Any) -> list[dict[str, Any]]:
    """A content's parts; a bare text is one of them."""
    given = content if isinstance(content, list) else []
    return [{"type": "text", "text": one} if isinstance(one, str) else one for one in given if isinstance(one, str | dict)]


def words(content: Any) -> str:
    """The texts of a content; whatever else it is, as JSON."""
    if isinstance(content, str):
        return content
    found = [text(part.get("text")) or canonical(part) for part in _parts(content)]
    return "\n".join(found) if found else canonical(content) if content else ""
