"""The steps of an ATIF trajectory -> items and calls."""

import hashlib
from dataclasses import replace
from typing import Any

from tasks.domain.kinds import ItemKind
from tasks.domain.records import Record
from tasks.domain.seen import SeenItem
from tasks.readers import contents
from tasks.readers.draft import Draft
from tasks.readers.usage import Usage, cached_beside, cached_inside
from tasks.readers.values import canonical, fields, file_named, objects, text, whole

CACHE_WRITES = ("cache_creation_input_tokens", "cache_write_tokens", "cache_write_input_tokens")
"""Where converters put what the format has no field for."""
WRITES_BESIDE = ("openclaw", "rovodev-cli")
"""Agents whose converter leaves what the cache took out of `prompt_tokens`."""


class Steps:
    """One trajectory while it is read."""

    def __init__(self, draft: Draft, document: dict[str, Any], *, is_subagent: bool = False) -> None:
        self.draft = draft
        agent = fields(document.get("agent"))
        self.model = text(agent.get("model_name"))
        self.writes_beside = agent.get("name") in WRITES_BESIDE
        self.has_own_ids = is_subagent or text(document.get("trajectory_id")) is not None
        """Else step ids may be those of another document of the same run, and records are named by their bytes."""
        self.is_subagent = is_subagent
        self.tools = agent.get("tool_definitions")
        self.has_begun = False
        self._is_first_words = True
        self._key: str | None = None
        self._is_copy = False

    def record(self, record: Record) -> None:
        """Books a step that is a record of its own."""
        data = record.data
        source = text(data.get("source")) or "unknown"
        flags = ["copied_context"] if data.get("is_copied_context") is True else []
        flags += [] if source in ("system", "user", "agent") else ["unknown_type"]
        flags += ["usage_uncounted"] if self._is_uncounted(data) else []
        number = data.get("step_id")
        own = f"step-{number}" if self.has_own_ids and type(number) in (int, str) else None
        self.draft.record(record, f"step/{source}", native_id=own, at=data.get("timestamp"), flags=flags)
        self.step(data, None)

    def step(self, data: dict[str, Any], key: str | None) -> None:
        """Books what a step says; `key` names it where it is part of a larger record."""
        self._key, self._is_copy = key, data.get("is_copied_context") is True
        source = data.get("source")
        if self.tools and not self.has_begun:
            self._item(ItemKind.SYSTEM, canonical(self.tools), "system", data, flags=("tool_definitions",))
        if source == "agent":
            self._agent(data)
        else:
            self._told(data, source)
        self.has_begun = True

    def _told(self, data: dict[str, Any], source: Any) -> None:
        kind = ItemKind.UNKNOWN
        if source == "system":
            kind = ItemKind.INJECTED if self.has_begun and not self._is_first_words else ItemKind.SYSTEM
        elif source == "user":
            kind = ItemKind.INJECTED if self.is_subagent else ItemKind.USER_TEXT
        role = source if isinstance(source, str) else "unknown"
        said = self._say(kind, role, data.get("message"), data, None)
        if source == "user":
            self._is_first_words = False
            if self.is_subagent and said:
                said[0].starts_turn = True
        self._results(data, {})

    def _agent(self, data: dict[str, Any]) -> None:
        self._is_first_words = False
        request_id = self._call(data)
        thought = text(data.get("reasoning_content"))
        if thought:
            self._item(ItemKind.REASONING, thought, "assistant", data, request_id=request_id)
        self._say(ItemKind.ASSISTANT_TEXT, "assistant", data.get("message"), data, request_id)
        calls: dict[str, SeenItem] = {}
        for call in objects(data.get("tool_calls")):
            name, call_id = text(call.get("function_name")), text(call.get("tool_call_id"))
            arguments, written = contents.arguments(call.get("arguments"))
            path = file_named(arguments)
            item = self._item(
                ItemKind.TOOL_CALL,
                written,
                "assistant",
                data,
                request_id=request_id,
                call_id=call_id,
                tool_name=name,
                path=path,
            )
            calls.setdefault(call_id or "", item)
        self._results(data, calls)

    def _results(self, data: dict[str, Any], calls: dict[str, SeenItem]) -> None:
        """What came of the step's own calls; a result without a call's id is of the only call, if there is one."""
        for result in objects(fields(data.get("observation")).get("results")):
            call_id = text(result.get("source_call_id"))
            call = calls.get(call_id or "") or (next(iter(calls.values())) if not call_id and len(calls) == 1 else None)
            linked = call_id or (call.call_id if call else None)
            parts = contents.parts(result.get("content"))
            said = "\n".join(part.text for part in parts if part.type == contents.TEXT)
            failed = fields(result.get("extra")).get("is_error") is True
            item = self._item(
                ItemKind.TOOL_RESULT, said, "tool", data, call_id=linked, tool_name=call.tool_name if call else None,
                path=call.path if call else None, flags=("error",) if failed else (),
            )  # fmt: skip
            others = [part.data for part in parts if part.type != contents.TEXT]
            self._say(ItemKind.UNKNOWN, "tool", others, data, None)
            for ref in objects(result.get("subagent_trajectory_ref")):
                name = text(ref.get("trajectory_id")) or text(ref.get("trajectory_path"))
                target = call or item
                target.flags += (f"agent:{name}",) if name else ()

    def _say(self, kind: ItemKind, role: str, content: Any, data: dict[str, Any], request_id: str | None) -> list[SeenItem]:
        said = []
        for part in contents.parts(content):
            what = {contents.TEXT: kind, contents.IMAGE: ItemKind.IMAGE}.get(part.type, ItemKind.UNKNOWN)
            said.append(self._item(what, part.text, role, data, request_id=request_id, size=part.size))
        return said

    def _item(self, kind: ItemKind, said: str, role: str, data: dict[str, Any], **facts: Any) -> SeenItem:
        """Every item has the hash of what it says, so that a copy in the run's next document is found in this one."""
        at = data.get("timestamp") if self._key else None
        item = self.draft.item(kind, said, role=role, key=self._key, native_id=self._key, at=at, **facts)
        item.content_key = hashlib.sha256(f"{kind.value}\0{item.tool_name}\0{said}".encode()).hexdigest()[:32]
        item.is_replay = self._is_copy
        return item

    def _call(self, data: dict[str, Any]) -> str | None:
        """The paid call of a step; one that several calls were summed into says how many. A copy was paid elsewhere."""
        calls = whole(data.get("llm_call_count"))[0]
        usage = used(data.get("metrics"), writes_beside=self.writes_beside)
        if self._is_copy or calls == 0 or not _says(usage):
            return None
        key = self._key or self.draft.record_key
        at = data.get("timestamp") if self._key else None
        flags = ("sum_of_calls", f"calls:{calls}") if calls and calls > 1 else ()
        return self.draft.call(key, usage, at=at, model=text(data.get("model_name")) or self.model, flags=flags)

    def _is_uncounted(self, data: dict[str, Any]) -> bool:
        is_paid = data.get("source") == "agent" and whole(data.get("llm_call_count"))[0] != 0
        return (
            _says(used(data.get("metrics"), writes_beside=self.writes_beside))
            and not is_paid
            and data.get("is_copied_context") is not True
        )


def used(metrics: Any, *, writes_beside: bool = False) -> Usage:
    """`prompt_tokens` includes what the cache gave, and with most converters what it took."""
    counts = fields(metrics)
    extra = fields(counts.get("extra"))
    details = fields(extra.get("completion_tokens_details"))
    written = next((extra[name] for name in CACHE_WRITES if extra.get(name) is not None), None)
    reasoning = extra.get("reasoning_tokens", details.get("reasoning_tokens"))
    prompt, read, output = (counts.get(name) for name in ("prompt_tokens", "cached_tokens", "completion_tokens"))
    if not writes_beside:
        return cached_inside(prompt, read, written, output, reasoning=reasoning)
    took = cached_beside(None, None, written)
    found = cached_inside(prompt, read, None, output, reasoning=reasoning)
    return replace(found, cache_write=took.cache_write, flags=(*found.flags, *took.flags))


def _says(usage: Usage) -> bool:
    """A step without a count of its prompt or answer reports no call; zeros are a report."""
    return usage.uncached is not None or usage.output is not None
