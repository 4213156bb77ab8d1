"""What `gemini -o stream-json` prints: events without ids, an answer in pieces, and totals of the run at its end."""

from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.readers.draft import Draft
from tasks.readers.usage import Usage, cached_inside, uncounted
from tasks.readers.values import canonical, fields, file_named, text, whole

RUN_TOTAL = "sum_of_calls"
"""Flag of a call that stands for all calls of a run."""


class Stream:
    """One run, event by event."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model: str | None = None
        self.answer: tuple[str, str] | None = None
        """Key and words of the answer whose pieces are coming."""
        self.results = 0

    def take(self, record: Record) -> None:
        """Books one event."""
        event, kind = record.data, text(record.data.get("type")) or "unknown"
        known = ("init", "message", "tool_use", "tool_result", "error", "result")
        self.draft.record(record, kind, at=event.get("timestamp"), flags=() if kind in known else uncounted(event))
        if kind != "message" or event.get("role") != "assistant":
            self.answer = None
        if kind == "init":
            self.model = text(event.get("model"))
        elif kind == "message":
            self._message(event, f"answer/{record.line_no}")
        elif kind in ("tool_use", "tool_result"):
            self._tool(event, kind)
        elif kind == "error" and (said := text(event.get("message"))):
            self.draft.item(ItemKind.NOTICE, said, role="error", in_context=False, flags=("error",))
        elif kind == "result":
            self._result(event)

    def _message(self, event: dict[str, Any], key: str) -> None:
        said = text(event.get("content"))
        if said is None:
            return
        if event.get("role") != "assistant":
            self.draft.item(ItemKind.USER_TEXT, said, role="user")
            return
        if self.answer is not None and event.get("delta"):
            key, said = self.answer[0], self.answer[1] + said
        self.answer = key, said
        self.draft.item(ItemKind.ASSISTANT_TEXT, said, role="model", key=key, block=0)

    def _tool(self, event: dict[str, Any], kind: str) -> None:
        call_id = text(event.get("tool_id"))
        key = f"call/{call_id}" if call_id else None
        if kind == "tool_use":
            self.draft.item(
                ItemKind.TOOL_CALL, canonical(event.get("parameters", {})), role="model", key=key, block=0, call_id=call_id,
                tool_name=text(event.get("tool_name")), path=file_named(event.get("parameters")),
            )  # fmt: skip
            return
        failure = fields(event.get("error"))
        said = text(event.get("output")) or text(failure.get("message")) or ""
        flags = ("error",) if failure or event.get("status") == "error" else ()
        self.draft.item(ItemKind.TOOL_RESULT, said, role="user", key=key, block=1, call_id=call_id, flags=flags)

    def _result(self, event: dict[str, Any]) -> None:
        stats = fields(event.get("stats"))
        if not stats:
            return
        used = cached_inside(stats.get("input_tokens"), stats.get("cached"), None, stats.get("output_tokens"))
        total = whole(stats.get("total_tokens"))[0]
        counted = sum(whole(stats.get(name))[0] or 0 for name in ("input_tokens", "output_tokens"))
        flags = (RUN_TOTAL,) if total in (None, counted) else (RUN_TOTAL, "total_differs")
        self.results += 1
        self._book(used, flags)

    def _book(self, used: Usage, flags: tuple[str, ...]) -> None:
        if not used.is_empty:
            self.draft.call(f"run/{self.results}", used, model=self.model, flags=flags)
