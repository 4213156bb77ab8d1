"""The steps between versions of CodeCoder's session documents. Each gives a new document and leaves the one it was given.

Total: a part that is not what its version says is carried as it stands, and so is every field that no version names. Nothing is
dropped but what is said again by what replaces it.
"""

from datetime import UTC, datetime
from typing import Any

from tasks.migrations import exact

Document = dict[str, Any]
Message = dict[str, Any]


def v1_to_v2(document: Document) -> Document:
    """`session` and `started`, in seconds since 1970, become `session_id` and `created_at`, in ISO 8601."""
    found = _renamed(document, {"session": "session_id", "started": "created_at"})
    if "started" in document and "created_at" not in document:
        found["created_at"] = _iso(document["started"])
    return {**found, "schema_version": 2}


def v2_to_v3(document: Document) -> Document:
    """What a message says and does becomes its list of typed `items`."""
    return _with_messages(document, 3, lambda messages: [_itemized(message) for message in messages])


def v3_to_v4(document: Document) -> Document:
    """The arguments of a tool call, JSON in a text, become an object, `args`."""
    return _with_messages(document, 4, lambda messages: [_with_objects(message) for message in messages])


def v4_to_v5(document: Document) -> Document:
    """A tool message holds one result and names its call, and messages are numbered from 1."""
    return _with_messages(document, 5, lambda messages: _numbered([one for message in messages for one in _apart(message)]))


def _with_messages(document: Document, version: int, change: Any) -> Document:
    found = {**document, "schema_version": version}
    if isinstance(document.get("messages"), list):
        found["messages"] = change(document["messages"])
    return found


def _renamed(fields: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Fields in their order under new names; one whose new name is taken keeps its own."""
    return {names[name] if name in names and names[name] not in fields else name: value for name, value in fields.items()}


def _iso(seconds: Any) -> Any:
    if type(seconds) not in (int, float):
        return seconds
    try:
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat() + "Z"
    except (ValueError, OverflowError, OSError):
        return seconds


def _itemized(message: Any) -> Any:
    if not isinstance(message, dict) or "items" in message:
        return message
    rest = dict(message)
    items: list[dict[str, Any]] = []
    if isinstance(rest.get("thinking"), str):
        items.append({"type": "reasoning", "text": rest.pop("thinking")})
    if message.get("role") == "tool":
        items += _result(rest)
    elif isinstance(rest.get("content"), str):
        content = rest.pop("content")
        items += [{"type": "text", "text": content}] if content else []
    calls = rest.get("tool_calls")
    if isinstance(calls, list) and all(isinstance(call, dict) and "type" not in call for call in calls):
        items += [{"type": "tool_call", **call} for call in rest.pop("tool_calls")]
    role = {"role": rest.pop("role")} if "role" in rest else {}
    return {**role, "items": items, **rest}


def _result(rest: Message) -> list[dict[str, Any]]:
    """The one result of a tool message, taken out of it."""
    if "content" not in rest:
        return []
    call = {"call_id": rest.pop("call")} if "call" in rest else {}
    return [{"type": "tool_result", **call, "content": rest.pop("content")}]


def _with_objects(message: Any) -> Any:
    if not isinstance(message, dict) or not isinstance(message.get("items"), list):
        return message
    return {**message, "items": [_with_object(item) for item in message["items"]]}


def _with_object(item: Any) -> Any:
    if not isinstance(item, dict) or item.get("type") != "tool_call" or "arguments" not in item or "args" in item:
        return item
    return {**_renamed(item, {"arguments": "args"}), "args": _object(item["arguments"])}


def _object(arguments: Any) -> Any:
    """An object stays one; a text that is no JSON object is kept whole, as the only argument."""
    if not isinstance(arguments, str):
        return arguments
    try:
        found = exact.loads(arguments)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"arguments": arguments}


def _apart(message: Any) -> list[Any]:
    """A tool message for each result in it; what else it holds stays with the result before it, or else with the first."""
    if not isinstance(message, dict) or message.get("role") != "tool" or not isinstance(message.get("items"), list):
        return [message]
    groups: list[list[Any]] = []
    before: list[Any] = []
    for item in message["items"]:
        if isinstance(item, dict) and item.get("type") == "tool_result":
            groups.append([*before, item])
            before = []
        else:
            (groups[-1] if groups else before).append(item)
    return [_of_one_call(message, items) for items in groups] or [message]


def _of_one_call(message: Message, items: list[Any]) -> Message:
    at = next(n for n, item in enumerate(items) if isinstance(item, dict) and item.get("type") == "tool_result")
    if "tool_call_id" in message or "call_id" not in items[at]:
        return {**message, "items": items}
    result = {name: value for name, value in items[at].items() if name != "call_id"}
    rest = {name: value for name, value in message.items() if name != "role"}
    return {
        "role": message["role"],
        "tool_call_id": items[at]["call_id"],
        **rest,
        "items": [*items[:at], result, *items[at + 1 :]],
    }


def _numbered(messages: list[Any]) -> list[Any]:
    """Numbers in order; an id that a message has all the same is kept beside."""
    found: list[Any] = []
    number = 0
    for message in messages:
        if not isinstance(message, dict):
            found.append(message)
            continue
        number += 1
        found.append({**_renamed(message, {"id": "previous_id"}), "id": number})
    return found
