"""A compacted context as a document: what `midwatch compact --json` prints and `midwatch restore` reads back."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from tasks.compaction.plan import Outcome, is_compacted
from tasks.compaction.restore import Compacted, Gone, Restored, compacted
from tasks.domain.item import Item

SCHEMA_VERSION = 1
FORMAT = "midwatch-compacted-context"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Message(_Part):
    """One item of the context, as a policy left it."""

    role: str
    kind: str
    text: str
    item_id: str
    """The original's; of what a policy inserted a name of its own."""
    session_id: str
    seq: int
    turn: int | None = None
    request_no: int | None = None
    tool_name: str | None = None
    tool_category: str | None = None
    call_id: str | None = None
    path: str | None = None
    at: datetime | None = None
    tokens: int | None = None
    """Content tokens; null where the text is not the original's."""
    flags: tuple[str, ...] = ()
    """`compacted:` and a word on whatever a policy changed or inserted: by it restore knows what to restore."""
    reason: str | None = None
    """Why it was changed."""


class Removed(_Part):
    """An item that is no longer there, and that no summary stands for."""

    item_id: str
    before: int
    """Number, from 0, of the message that it stood before."""
    call_id: str | None = None


class CompactedContext(_Part):
    """All that is left of a context, and what restoring it needs."""

    format: str = FORMAT
    schema_version: int = SCHEMA_VERSION
    session_id: str
    request_no: int
    """The call before which it was compacted."""
    policy: str
    policy_version: int
    tokens_before: int
    tokens_after: int
    invalidated_tokens: int | None = None
    """Of the new context, which no cache holds; null once something was restored."""
    notes: tuple[str, ...] = ()
    messages: tuple[Message, ...]
    removed: tuple[Removed, ...] = Field(default=())


def document(
    session_id: str, request_no: int, items: Sequence[Item], done: Outcome, invalidated_tokens: int
) -> CompactedContext:
    """The document of a plan that was applied to these items."""
    reasons = {items[change.position].item_id: change.reason for change in done.plan.changes}
    found = compacted(done.plan, items)
    return CompactedContext(
        session_id=session_id,
        request_no=request_no,
        policy=done.plan.policy,
        policy_version=done.plan.version,
        tokens_before=done.tokens_before,
        tokens_after=done.tokens_after,
        invalidated_tokens=invalidated_tokens,
        notes=done.plan.notes,
        messages=tuple(_message(item, reasons.get(item.item_id)) for item in found.view),
        removed=_removed(found.gone),
    )


def read_back(told: CompactedContext) -> Compacted:
    """The context that a document holds."""
    names = Message.model_fields.keys() - {"reason"}
    view = (Item(**{name: getattr(message, name) for name in names}) for message in told.messages)
    return Compacted(tuple(view), tuple(Gone(one.item_id, one.before, one.call_id) for one in told.removed))


def restored(told: CompactedContext, found: Restored) -> CompactedContext:
    """The document with what could be restored; what could not is still in it, to be restored another time."""
    reasons = {message.item_id: message.reason for message in told.messages}
    index = {item.item_id: at for at, item in enumerate(found.items)}
    order = [message.item_id for message in told.messages]
    still = [one for one in told.removed if one.item_id not in index]
    gone = [
        Gone(one.item_id, index[order[one.before]] if one.before < len(order) else len(found.items), one.call_id)
        for one in still
    ]
    return told.model_copy(
        update={
            "messages": tuple(
                _message(item, reasons.get(item.item_id) if is_compacted(item) else None) for item in found.items
            ),
            "removed": _removed(gone),
            "tokens_after": found.tokens,
            "invalidated_tokens": None,
        }
    )


def _message(item: Item, reason: str | None) -> Message:
    told = {name: getattr(item, name) for name in Message.model_fields if name != "reason"}
    return Message.model_validate({**told, "reason": reason})


def _removed(gone: Iterable[Gone]) -> tuple[Removed, ...]:
    return tuple(Removed(item_id=one.item_id, before=one.before, call_id=one.call_id) for one in gone)
