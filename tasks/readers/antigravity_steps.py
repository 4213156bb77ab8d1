"""The steps of a transcript: prompts, plans of the model, what tools answered, words of the program."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.domain.seen import SeenItem
from tasks.readers.antigravity_arguments import arguments, touched
from tasks.readers.draft import Draft
from tasks.readers.values import canonical, enclosed, objects, text

_TOOLS = {
    "CODE_ACTION": "write_file write_to_file replace_file_content multi_replace_file_content edit_file create_file",
    "FIND": "find_by_name find",
    "GREP_SEARCH": "grep_search",
    "LIST_DIRECTORY": "list_dir list_directory",
    "READ_URL_CONTENT": "read_url_content",
    "RUN_COMMAND": "run_command",
    "SEARCH_WEB": "search_web",
    "VIEW_FILE": "view_file view_file_outline view_code_item read_file",
    "BROWSER_SUBAGENT": "browser_subagent",
    "COMMAND_STATUS": "command_status",
    "TASK_BOUNDARY": "task_boundary",
    "NOTIFY_USER": "notify_user",
}
"""Step of an answer -> the tools whose answer it is. A step that is not here may answer any tool."""
_SILENT = ("CONVERSATION_HISTORY",)
_INJECTED = ("SYSTEM_MESSAGE", "EPHEMERAL_MESSAGE", "USER_INPUT")
_FAILED = ("ERROR", "FAILED", "CANCELED", "CANCELLED")


class Steps:
    """Reads steps into the session that is open."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.open_calls: list[SeenItem] = []
        self.named: dict[str, tuple[Any, Any]] = {}
        """Type and time of the first step of each index: another one of that index is named by its bytes."""

    def take(self, record: Record) -> None:
        step = record.data
        kind, source = text(step.get("type")) or "unknown", step.get("source")
        is_known = kind in ("PLANNER_RESPONSE", "CHECKPOINT", "ERROR_MESSAGE", "GENERIC", *_SILENT, *_INJECTED, *_TOOLS)
        self.draft.record(
            record,
            kind,
            native_id=self._native_id(step),
            at=step.get("created_at"),
            flags=() if is_known else ("unknown_type",),
        )
        if kind == "USER_INPUT":
            self._input(step)
        elif kind == "PLANNER_RESPONSE":
            self._plan(step)
        elif kind == "CHECKPOINT":
            self._checkpoint(step)
        elif kind == "ERROR_MESSAGE":
            self._say(ItemKind.NOTICE, step, in_context=False, flags=("error",))
        elif kind in _INJECTED:
            self._say(ItemKind.INJECTED, step)
        elif kind in _TOOLS or source == "MODEL" or kind == "GENERIC":
            self._answer(kind, step)
        elif kind not in _SILENT:
            self._say(ItemKind.UNKNOWN, step, in_context=False)

    def _native_id(self, step: dict[str, Any]) -> str | None:
        index = step.get("step_index")
        if type(index) is not int:
            return None
        stamp = (step.get("type"), step.get("created_at"))
        return str(index) if self.named.setdefault(str(index), stamp) == stamp else None

    def _say(
        self, kind: ItemKind, step: dict[str, Any], *, in_context: bool = True, flags: tuple[str, ...] = ()
    ) -> SeenItem | None:
        said = text(step.get("content"))
        if said is None:
            return None
        return self.draft.item(kind, said, role=_role(step), in_context=in_context, flags=(*flags, *_cut(step, "content")))

    def _input(self, step: dict[str, Any]) -> None:
        """What a person typed stands in USER_REQUEST; the program's notes stand around it."""
        said = text(step.get("content")) or ""
        if step.get("source") != "USER_EXPLICIT":
            self._say(ItemKind.INJECTED, step)
            return
        found = next(enclosed(said, "USER_REQUEST"), None)
        typed, rest = said, ""
        if found:
            typed = found.inside.removeprefix("\n").removesuffix("\n")
            rest = said[: found.start] + said[found.end :]
        if typed.strip():
            self.draft.item(ItemKind.USER_TEXT, typed, role="user", flags=_cut(step, "content"))
        if rest.strip():
            self.draft.item(ItemKind.INJECTED, rest.strip(), role="user")

    def _plan(self, step: dict[str, Any]) -> None:
        thought, said = text(step.get("thinking")), text(step.get("content"))
        if thought:
            self.draft.item(ItemKind.REASONING, thought, role="assistant", flags=_cut(step, "thinking"))
        if said:
            self.draft.item(ItemKind.ASSISTANT_TEXT, said, role="assistant", flags=_cut(step, "content"))
        for call in objects(step.get("tool_calls")):
            given, flags = arguments(call.get("args"))
            item = self.draft.item(
                ItemKind.TOOL_CALL, canonical(given), role="assistant", tool_name=text(call.get("name")), path=touched(given),
                flags=flags,
            )  # fmt: skip
            item.call_id = item.item_id
            self.open_calls.append(item)

    def _answer(self, kind: str, step: dict[str, Any]) -> None:
        call = next((call for call in self.open_calls if _fits(call.tool_name, kind)), None)
        if call is not None:
            self.open_calls.remove(call)
        failed = ("error",) if step.get("status") in _FAILED else ()
        self.draft.item(
            ItemKind.TOOL_RESULT, text(step.get("content")) or "", role="tool", call_id=call.call_id if call else None,
            tool_name=None if call else kind, flags=(*failed, *_cut(step, "content")),
        )  # fmt: skip

    def _checkpoint(self, step: dict[str, Any]) -> None:
        summary = self._say(ItemKind.COMPACTION_SUMMARY, step)
        index = len(self.draft.compactions)
        self.draft.compaction(f"checkpoint:{index}", summary_item_id=summary.item_id if summary else None)


def _fits(tool: str | None, kind: str) -> bool:
    return kind not in _TOOLS or tool is None or tool in _TOOLS[kind].split() or not _is_known(tool)


def _is_known(tool: str) -> bool:
    return any(tool in names.split() for names in _TOOLS.values())


def _cut(step: dict[str, Any], field: str) -> tuple[str, ...]:
    cut = step.get("truncated_fields")
    return ("truncated",) if isinstance(cut, list) and field in cut else ()


def _role(step: dict[str, Any]) -> str:
    source = text(step.get("source")) or ""
    return {"MODEL": "assistant", "USER_EXPLICIT": "user"}.get(source, "system")
