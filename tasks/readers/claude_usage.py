"""Paid calls of Claude Code. A streamed answer is logged once per content block, each time with usage: one call, its maxima."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tasks.domain.seen import SeenRequest
from tasks.readers.values import LARGEST_COUNT, canonical, count

AGENT = "claude-code"

_TOKENS = (
    ("input_uncached_tokens", "input_tokens"),
    ("cache_read_tokens", "cache_read_input_tokens"),
    ("cache_write_tokens", "cache_creation_input_tokens"),
    ("output_tokens", "output_tokens"),
)
_PARTS = (
    ("cache_write_5m_tokens", "cache_creation", "ephemeral_5m_input_tokens"),
    ("cache_write_1h_tokens", "cache_creation", "ephemeral_1h_input_tokens"),
    ("web_search_requests", "server_tool_use", "web_search_requests"),
    ("reasoning_tokens", "output_tokens_details", "thinking_tokens"),
)


@dataclass(slots=True)
class Place:
    """Where a record stands."""

    session_id: str
    native_id: str
    line_no: int
    at: datetime | None
    is_sidechain: bool
    sha256: str


@dataclass(slots=True)
class Calls:
    """The calls of one file, in the order of their first records."""

    requests: dict[str, SeenRequest] = field(default_factory=dict)
    _by_record: dict[str, str] = field(default_factory=dict)
    """uuid of an assistant record -> its request."""
    _last_usage: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, record: dict[str, Any], place: Place) -> tuple[str | None, tuple[str, ...]]:
        """Books the usage of an assistant record. Gives its request and what was odd about the numbers."""
        message = record.get("message")
        usage = message.get("usage") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(usage, dict) or not any(name in usage for _, name in _TOKENS):
            return None, ()
        request_id, call_key = self._key(record, message, place)
        if isinstance(record.get("uuid"), str):
            self._by_record[record["uuid"]] = request_id
        model = message.get("model")
        flags = self._merge(request_id, usage, model, place)
        request = self.requests[request_id]
        request.call_key = request.call_key or call_key
        if not message.get("id") and "no_message_id" not in request.flags:
            request.flags = (*request.flags, "no_message_id")
        if isinstance(message.get("stop_reason"), str):
            request.stop_reason, request.output_origin = message["stop_reason"], "reported"
        self._add_advisors(request_id, usage, place, message.get("stop_reason"))
        return request_id, flags

    def _key(self, record: dict[str, Any], message: dict[str, Any], place: Place) -> tuple[str, str | None]:
        """The call's id, and a key that its copies elsewhere share even where their ids differ.

        Anthropic's `msg_` ids are unique in the world. Gateways reuse theirs: such a call is told by its session and request
        id or, without one, by the time of its first record; the records of one answer hang on each other.
        """
        message_id, api_id = message.get("id"), record.get("requestId")
        api_id = api_id if isinstance(api_id, str) else ""
        if isinstance(message_id, str) and message_id.startswith("msg_"):
            return f"{AGENT}:{message_id}:{api_id}", message_id
        uuid = record.get("uuid")
        own = uuid if isinstance(uuid, str) else place.sha256
        stamp = str(record.get("timestamp") or own)
        content = canonical([message_id, api_id, stamp, message.get("model"), message.get("usage") if not message_id else None])
        call_key = hashlib.sha256(content.encode()).hexdigest()
        if not isinstance(message_id, str) or not message_id:
            return f"{AGENT}:{place.native_id}:{own}:{api_id}", call_key
        prefix = f"{AGENT}:{place.native_id}:{message_id}:"
        if not api_id:
            parent = self._by_record.get(str(record.get("parentUuid")), "")
            if parent.startswith(prefix):
                return parent, None
        return prefix + (api_id or stamp), call_key

    def _merge(self, request_id: str, usage: dict[str, Any], model: Any, place: Place) -> tuple[str, ...]:
        request = self.requests.get(request_id)
        if request is None:
            request = self.requests[request_id] = SeenRequest(
                request_id, place.session_id, place.line_no, at=place.at, is_sidechain=place.is_sidechain,
                output_origin="lower_bound",
            )  # fmt: skip
        if request.model is None and isinstance(model, str) and model:
            request.model = model
        if self._last_usage.get(request_id) == usage:
            return ()
        self._last_usage[request_id] = usage
        tier = usage.get("service_tier")
        if isinstance(tier, str):
            request.service_tier = tier
        flags = _raise(request, usage)
        if flags:
            request.flags = tuple(dict.fromkeys((*request.flags, *flags)))
        return flags

    def _add_advisors(self, request_id: str, usage: dict[str, Any], place: Place, stop_reason: Any) -> None:
        """Advisor calls are outside of the top-level usage, under their own model; other iterations are its parts."""
        iterations = usage.get("iterations")
        for no, iteration in enumerate(iterations if isinstance(iterations, list) else ()):
            if isinstance(iteration, dict) and iteration.get("type") == "advisor_message":
                advisor_id = f"{request_id}:advisor:{no}"
                self._merge(advisor_id, iteration, iteration.get("model"), place)
                if isinstance(stop_reason, str):
                    self.requests[advisor_id].output_origin = "reported"


def _raise(request: SeenRequest, usage: dict[str, Any]) -> tuple[str, ...]:
    """Lifts each count of the request to that of a usage object: later records of a call only grow."""
    odd: list[str] = []
    values = [(name, usage.get(key)) for name, key in _TOKENS]
    for name, group, key in _PARTS:
        inner = usage.get(group)
        if isinstance(inner, dict):
            values.append((name, inner.get(key)))
    for name, value in values:
        number, flag = (value, None) if type(value) is int and 0 <= value < LARGEST_COUNT else count(value)
        if flag is not None:
            odd.append(flag)
        if number is not None and number > (getattr(request, name) or -1):
            setattr(request, name, number)
    if request.cache_write_tokens is None and request.cache_write_5m_tokens is not None:
        request.cache_write_tokens = request.cache_write_5m_tokens + (request.cache_write_1h_tokens or 0)
    return tuple(dict.fromkeys(odd))
