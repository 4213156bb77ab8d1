"""The folder of one task of Cline or Roo Code, or its file of sent messages alone -> rows.

A call's row stands where its answer stands: the counts are shown in another file than the answer is sent in.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from tasks.domain.kinds import ItemKind, Relation
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading, SeenItem
from tasks.readers import names, taskevents
from tasks.readers.documents import TOP
from tasks.readers.draft import Draft
from tasks.readers.taskevents import Shown, Split, Started
from tasks.readers.taskmessages import Talk
from tasks.readers.taskwords import words, working_folder
from tasks.readers.values import fields, objects, text

SENT, SHOWN, METADATA, HISTORY = "api_conversation_history", "ui_messages", "task_metadata", "history_item"
FOLDER = re.compile(rf"(?P<root>.+)/(?:{SENT}|{SHOWN}|{METADATA}|{HISTORY})\.json")
Key = TypeVar("Key")
Value = TypeVar("Value")
MODEL = re.compile(r"<model>([^<\n]+)</model>")


def task_id(path: str, *, is_folder: bool) -> str:
    """The folder's name, whichever of its files is read."""
    return names.folder(path, 0 if is_folder else 1) or names.stem(path)


def sent(head: Head) -> list[dict[str, Any]]:
    """The messages that a head shows: all of a lone file, the first of a folder."""
    if head.names:
        return [one for name, one in zip(head.names, head.objects, strict=False) if name.endswith(f"{SENT}.json")]
    return objects(head.objects[0].get(TOP)) if head.objects else []


def is_roo(head: Head) -> bool:
    """Roo Code keeps its part of the task list in the folder, names the mode in the environment, and tags what it condensed."""
    if any(name.endswith(f"{HISTORY}.json") for name in head.names):
        return True
    tags = ("condenseParent", "truncationParent", "isTruncationMarker")
    return any(any(tag in one for tag in tags) or "<slug>" in "".join(words(one)) for one in sent(head)[:20])


def is_task(head: Head) -> bool:
    """Whether a head is of one of the two: messages of a user and an assistant, in blocks."""
    messages = sent(head)
    shown = [one for name, one in zip(head.names, head.objects, strict=False) if name.endswith(f"{SHOWN}.json")]
    if any(one.get("type") in ("say", "ask") and taskevents.moment_of(one) for one in shown):
        return True
    if not messages or any(one.get("role") not in ("user", "assistant") for one in messages):
        return False
    first = words(messages[0])
    return messages[0].get("role") == "user" and any(
        said.startswith(("<task>", "<environment_details>", "<user_message>", "[TASK RESUMPTION]")) for said in first
    )


class Task:
    """One task while it is read."""

    def __init__(self, draft: Draft, records: Iterable[Record], split: Split) -> None:
        self.draft = draft
        self.parts: dict[str, list[Record]] = {}
        for record in records:
            path, _, part = record.origin.rpartition("#") if "#" in record.origin else (record.origin, "", "")
            name = path.rsplit("/", 1)[-1].removesuffix(".json")
            lone = record.origin == TOP
            self.parts.setdefault(SENT if lone else f"{name}#{part}" if part and part != TOP else name, []).append(record)
        self.messages = self.parts.pop(SENT, [])
        self.shown = self.parts.pop(SHOWN, [])
        data = [record.data for record in self.messages]
        self.calls = taskevents.started(self.shown, split, self._models())
        taskevents.link(self.calls, data)
        self.compactions = taskevents.compactions(self.shown, self.calls)
        self.answering = {call.answer: call for call in reversed(self.calls)}
        self.cuts = _grouped((self._anchor(shown), shown) for shown in self.compactions if shown.removed)
        self.facts = fields(next((record.data for record in self.parts.get(HISTORY, [])), {}))
        self.items: list[list[SeenItem]] = [[] for _ in self.messages]
        self.split = split
        self._seen: set[str] = set()

    def _models(self) -> list[tuple[int, str, str | None]]:
        """(time, model, provider): the list of changes that Cline keeps, or what Roo Code tells the model of itself."""
        found = []
        for record in self.parts.get(f"{METADATA}#model_usage", []):
            at, model = taskevents.moment_of(record.data), text(record.data.get("model_id"))
            if at is not None and model:
                found.append((at, model, text(record.data.get("model_provider_id"))))
        for record in self.messages if not found else ():
            at = taskevents.moment_of(record.data)
            named = [name for said in words(record.data) for name in MODEL.findall(said)]
            if at is not None and named and record.data.get("role") == "user":
                found.append((at, named[-1].strip(), None))
        return sorted(found, key=lambda one: one[0])

    def read(self, hint: SourceHint) -> Reading:
        """All rows of the task."""
        parent = text(self.facts.get("parentTaskId"))
        cwd = text(self.facts.get("workspace")) or working_folder([record.data for record in self.messages])
        self.draft.open(
            hint.native_id, title=_title(self.facts), cwd=cwd, relation=Relation.SUBAGENT if parent else None,
            parent_session_id=f"{self.draft.agent}:{parent}" if parent else None,
        )  # fmt: skip
        talk = Talk(self.draft, is_subtask=parent is not None)
        for no, record in enumerate(self.messages):
            self._message(no, record, talk)
        self.unanswered = _grouped((call.no, call) for call in self.calls if call.answer is None)
        self.untold = _grouped((shown.no, shown) for shown in self.compactions)
        for no, record in enumerate(self.shown):
            self._show(no, record)
        self._rest()
        reading = self.draft.finish()
        reading.records.sort(key=lambda row: row.byte_offset)
        return reading

    def _message(self, no: int, record: Record, talk: Talk) -> None:
        data = record.data
        role = text(data.get("role")) or text(data.get("type")) or "unknown"
        at = taskevents.moment_of(data)
        name = f"{role}-{at}" if at is not None else ""
        own = name if name and name not in self._seen else None
        self._seen.add(name)
        known = role in ("user", "assistant", "reasoning")
        self.draft.record(record, f"sent/{role}", native_id=own, at=data.get("ts"), flags=() if known else ("unknown_type",))
        before = len(self.draft.items)
        for shown in self.cuts.get(no, ()):
            self._cut(shown, no)
        call = self.answering.get(no)
        if data.get("isSummary") is True:
            self._condensed(no, data, talk)
        elif data.get("isTruncationMarker") is True:
            self._marked(no, data)
        elif role == "reasoning":
            return
        else:
            talk.message(data, self._book(call) if call else self._own_call(data))
        self.items[no] = self.draft.items_since(before)

    def _book(self, call: Started) -> str:
        key = f"call-{call.at}" if call.at is not None else f"call#{call.no}"
        return self.draft.call(key, call.usage, at=call.at, model=call.model, stop_reason=call.stop)

    def _own_call(self, data: dict[str, Any]) -> str | None:
        """A call that is not shown, from its answer's own counts. What the cache gave and took is one number there."""
        metrics = fields(data.get("metrics"))
        tokens, named = fields(metrics.get("tokens")), fields(data.get("modelInfo"))
        if data.get("role") != "assistant" or (tokens.get("prompt") is None and tokens.get("completion") is None):
            return None
        counts = {"tokensIn": tokens.get("prompt"), "tokensOut": tokens.get("completion"), "cacheReads": tokens.get("cached")}
        usage = self.split(counts, taskevents.moment_of(data) or 0, text(named.get("providerId")))
        flags = ("cache_reads_and_writes",) if usage.cache_read else ()
        return self.draft.call(self.draft.record_key, usage, model=text(named.get("modelId")), flags=flags)

    def _anchor(self, shown: Shown) -> int | None:
        """The message before which a cut took effect: the one that the next answered call was sent for."""
        for call in self.calls[max(shown.started, 0) :]:
            if call.answer is not None:
                is_asked = call.answer > 0 and self.messages[call.answer - 1].data.get("role") == "user"
                return call.answer - 1 if is_asked else call.answer
        return None

    def _cut(self, shown: Shown, no: int) -> None:
        first, last = shown.removed or (0, -1)
        gone = [item for items in self.items[first : last + 1] for item in items]
        self._preserve([item for items in (*self.items[:first], *self.items[last + 1 : no]) for item in items])
        self.draft.compaction(
            f"cut-{first}-{last}", trigger=shown.trigger, tokens_before=shown.before, tokens_after=shown.after,
            items_removed=len(gone),
        )  # fmt: skip
        shown.removed = None
        shown.no = -1

    def _condensed(self, no: int, data: dict[str, Any], talk: Talk) -> None:
        item = talk.summary(data)
        self._tagged(no, text(data.get("condenseId")), "condense", "condenseParent", item.item_id if item else None)

    def _marked(self, no: int, data: dict[str, Any]) -> None:
        for said in words(data):
            self.draft.item(ItemKind.NOTICE, said, role="user", in_context=False)
        self._tagged(no, text(data.get("truncationId")), "truncation", "truncationParent", None)

    def _tagged(self, no: int, key: str | None, trigger: str, tag: str, summary: str | None) -> None:
        """A compaction by tags: tagged messages are no longer sent, the others before it still are."""
        told = [one for one in self.compactions if one.no >= 0 and one.trigger == trigger and one.removed is None]
        shown = next((one for one in told if one.key == key), None) or (told[0] if told and key is None else None)
        gone: list[SeenItem] = []
        for record, items in zip(self.messages[:no], self.items[:no], strict=True):
            if key is not None and record.data.get(tag) == key:
                gone += items
            elif not (record.data.get("condenseParent") or record.data.get("truncationParent")):
                self._preserve(items)
        self.draft.compaction(
            key or self.draft.record_key, trigger=trigger, tokens_before=shown.before if shown else None,
            tokens_after=shown.after if shown else None, items_removed=len(gone) if key else None, summary_item_id=summary,
        )  # fmt: skip
        if shown:
            shown.no = -1

    def _preserve(self, items: Sequence[SeenItem]) -> None:
        for item in items:
            if "preserved" not in item.flags and item.in_context:
                item.flags += ("preserved",)

    def _show(self, no: int, record: Record) -> None:
        data = record.data
        kind = text(data.get("type")) or "unknown"
        what = text(data.get(kind)) if kind in ("say", "ask") else None
        flags = ["unknown_type"] if kind not in ("say", "ask") else []
        flags += ["usage_uncounted"] if what in taskevents.DELETED else []
        self.draft.record(record, f"shown/{what or kind}", at=data.get("ts"), flags=flags)
        for call in self.unanswered.get(no, ()):
            self._book(call)
        for shown in self.untold.get(no, ()):
            self.draft.compaction(
                shown.key or self.draft.record_key, trigger=shown.trigger, tokens_before=shown.before,
                tokens_after=shown.after,
            )  # fmt: skip

    def _rest(self) -> None:
        """The files of facts: sums and lists that other files say one by one."""
        for name, records in self.parts.items():
            for record in records:
                known = name.split("#", 1)[0] in (METADATA, HISTORY)
                version = text(record.data.get("cline_version"))
                self.draft.record(record, name, version=version, flags=() if known else ("unknown_type",))


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _title(facts: dict[str, Any]) -> str | None:
    task = text(facts.get("task"))
    return task.split("\n", 1)[0][:200] if task else None
