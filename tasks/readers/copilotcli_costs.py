"""The paid calls of a session, and its snapshots turned into rows. The rule is in `copilotcli_totals`."""

from typing import Any

from tasks.domain.kinds import Relation
from tasks.domain.seen import SeenRecord
from tasks.readers import copilotcli_totals
from tasks.readers.copilotcli_totals import Snapshots, Spent, canonical_model
from tasks.readers.draft import Draft
from tasks.readers.usage import Usage, cached_inside
from tasks.readers.values import text, whole

_CALL_IDS = ("apiCallId", "requestId", "messageId")
"""What names the call of an answer, best first."""


class Costs:
    """Books calls for the session that is open."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.model: str | None = None
        """The session's, for calls that name none."""
        self._snapshots = Snapshots()
        self._earlier: list[str] = []
        """Calls since the last snapshot, before the last resume."""
        self._recent: list[str] = []
        self._whole: set[str] = set()
        """Calls whose whole usage is known."""

    def choose(self, model: Any) -> None:
        self.model = canonical_model(model) or self.model

    def resume(self) -> None:
        """A new process: its snapshot may know nothing of the calls before it."""
        self._earlier += self._recent
        self._recent = []

    def answer(self, data: dict[str, Any], event_id: str) -> str:
        """The call of an answer. Each part of a split answer may tell the output of the whole: the largest counts."""
        key = next((found for name in _CALL_IDS if (found := text(data.get(name)))), event_id)
        output, odd = whole(data.get("outputTokens"))
        earlier = self.draft.requests.get(self._request_id(key))
        if earlier is not None and earlier.output_tokens is not None:
            output = max(output or 0, earlier.output_tokens)
        return self._book(key, Usage(output=output, flags=(odd,) if odd else ()), data.get("model"))

    def whole_call(self, data: dict[str, Any], event_id: str) -> None:
        """Written by few versions only: all that one call cost. The output in its answer then adds nothing."""
        key = text(data.get("apiCallId")) or event_id
        self._whole.discard(self._request_id(key))
        self._whole.add(self._book(key, usage(data), data.get("model")))

    def compaction(self, used: dict[str, Any], key: str) -> None:
        self._book(key, usage(used), used.get("model"), flags=("compaction_call",))

    def _book(self, key: str, used: Usage, model: Any, *, flags: tuple[str, ...] = ()) -> str:
        request_id = self._request_id(key)
        if request_id in self._whole:
            return request_id
        earlier, session = self.draft.requests.get(request_id), self.draft.session
        named = canonical_model(model) or (earlier.model if earlier else None) or self.model
        self.draft.call(key, used, model=named, flags=flags, is_sidechain=session.relation is Relation.SUBAGENT)
        if earlier is None:
            self._recent.append(request_id)
        elif earlier.at is not None:
            self.draft.requests[request_id].at = earlier.at
        return request_id

    def _request_id(self, key: str) -> str:
        return f"{self.draft.agent}:{self.draft.session.native_id}/{key}"

    def shut_down(self, data: dict[str, Any], key: str, row: SeenRecord) -> None:
        """Books what the snapshot tells beyond the calls."""
        current = canonical_model(data.get("currentModel")) or self.model
        earlier, recent = map(self._spent, self._earlier), map(self._spent, self._recent)
        settled = self._snapshots.settle(data.get("modelMetrics"), current, earlier, recent)
        if settled is None:
            row.flags += ("usage_uncounted",) if data.get("modelMetrics") else ()
            return
        for request_id, model in settled.models.items():
            self.draft.requests[request_id].model = model
        for request_id in settled.emptied:
            self._empty(request_id)
        for total in settled.totals:
            used = copilotcli_totals.usage(total)
            self.draft.call(f"{key}:{total.model}", used, model=total.model, flags=("sum_of_calls", *total.flags))
        self._earlier, self._recent = [], []

    def _spent(self, request_id: str) -> Spent:
        row = self.draft.requests[request_id]
        read, written = row.cache_read_tokens or 0, row.cache_write_tokens or 0
        prompt = (row.input_uncached_tokens or 0) + read + written
        return Spent(request_id, row.model, (prompt, read, written, row.output_tokens or 0, row.reasoning_tokens or 0))

    def _empty(self, request_id: str) -> None:
        row = self.draft.requests[request_id]
        row.input_uncached_tokens = row.cache_read_tokens = row.cache_write_tokens = None
        row.output_tokens = row.reasoning_tokens = None
        row.flags += ("counted_in_total",)


def usage(reported: dict[str, Any]) -> Usage:
    """As events report one call: the prompt holds what the cache gave and took, the output the reasoning."""
    return cached_inside(
        reported.get("inputTokens"), reported.get("cacheReadTokens"), reported.get("cacheWriteTokens"),
        reported.get("outputTokens"), reasoning=reported.get("reasoningTokens"),
    )  # fmt: skip
