"""A session as Markdown, for people. All words of the log are fenced, as data: no heading, link or tag of theirs acts.

Calls and results are folded: of long ones the beginning is shown, and where the rest is.
"""

from collections.abc import Iterator, Sequence

from tasks.domain.kinds import ItemKind
from tasks.domain.visible import clip, code, fenced, visible
from tasks.exports.model import Placed, Session

CALL_LINES, RESULT_LINES, LINE_CHARS = 6, 12, 400
_WHO = {
    ItemKind.SYSTEM: "System prompt",
    ItemKind.USER_TEXT: "Person",
    ItemKind.ASSISTANT_TEXT: "Agent",
    ItemKind.REASONING: "Agent, thinking",
    ItemKind.INJECTED: "Put in by the program",
    ItemKind.IMAGE: "Image",
    ItemKind.COMPACTION_SUMMARY: "Compacted: what came before is now this summary",
    ItemKind.NOTICE: "Notice by the program",
    ItemKind.UNKNOWN: "Of unknown kind",
}
_FOLDED = {ItemKind.SYSTEM, ItemKind.INJECTED, ItemKind.NOTICE, ItemKind.UNKNOWN, ItemKind.REASONING}


def export(session: Session) -> str:
    """The document: facts, then turn by turn, then the sub-agents."""
    return "\n".join(_session(session, 1)) + "\n"


def _session(session: Session, level: int) -> Iterator[str]:
    yield f"{'#' * min(level, 5)} {'Sub-agent' if level > 1 else 'Session'} {code(session.session_id)}"
    yield ""
    yield from _facts(session)
    turn: int | None = None
    for at, item in enumerate(session.items):
        if item.turn != turn or at == 0:
            turn = item.turn
            yield f"{'#' * min(level + 1, 6)} {f'Turn {turn}' if turn else 'Before the first prompt'}"
            yield ""
        yield from _item(item, session)
    for agent in session.agents:
        yield from _session(agent, level + 1)


def _facts(session: Session) -> Iterator[str]:
    facts = session.facts
    started, ended = (f"{at:%Y-%m-%d %H:%M} UTC" if at else None for at in (facts.get("started_at"), facts.get("ended_at")))
    came_from = facts.get("parent_session_id")
    told = {
        "Title": code(facts["title"]) if facts.get("title") else None,
        "Agent": code(" ".join(filter(None, (facts.get("agent"), facts.get("agent_version"))))),
        "Folder": code(facts["cwd"]) if facts.get("cwd") else None,
        "Branch": code(facts["git_branch"]) if facts.get("git_branch") else None,
        "Time": f"{started} to {ended}" if started else None,
        "State": facts.get("state"),
        "Comes from": f"{code(came_from)} ({facts.get('relation') or 'parent'})" if came_from else None,
        "Paid for": _paid(session),
        "Logs": ", ".join(code(path) for path in dict.fromkeys(item.log_path for item in session.items) if path) or None,
    }
    for name, value in told.items():
        if value:
            yield f"- {name}: {value}"
    yield ""


def _paid(session: Session) -> str | None:
    if not session.calls:
        return None
    told = [f"{len(session.calls):,} calls" if len(session.calls) > 1 else "1 call"]
    for name, word in (("prompt_tokens", "prompt tokens"), ("output_tokens", "output tokens")):
        found = [value for call in session.calls if (value := getattr(call, name)) is not None]
        told += [f"{sum(found):,} {word}"] if found else []
    cost = [call.cost_usd for call in session.calls if call.cost_usd is not None]
    return ", ".join(told + ([f"${sum(cost):,.4f}"] if cost else []))


def _item(item: Placed, session: Session) -> Iterator[str]:
    kind = ItemKind(item.kind)
    if kind is ItemKind.TOOL_CALL:
        lines, title = CALL_LINES, f"Call of {code(item.tool_name or 'unnamed')}{_about(item)}"
    elif kind is ItemKind.TOOL_RESULT:
        failed = ", failed" if "error" in item.flags else ""
        lines, title = RESULT_LINES, f"Result of {code(item.tool_name or 'unnamed')}{failed}"
    else:
        lines, title = RESULT_LINES if kind in _FOLDED else 0, _WHO[kind] + _compacted(item, session)
    yield f"**{title}**{_marks(item)}"
    yield ""
    if item.text:
        shown, left = folded(visible(item.text), lines) if lines else (visible(item.text), 0)
        yield from fenced(shown)
        yield ""
        if left:
            yield f"({left:,} more lines; {_place(item)})"
            yield ""


def _about(item: Placed) -> str:
    return f" on {code(item.path)}" if item.path else ""


def _compacted(item: Placed, session: Session) -> str:
    found = session.compactions.get(item.item_id)
    counts = [found.get(name) for name in ("tokens_before", "tokens_after")] if found else []
    return f" ({counts[0]:,} to {counts[1]:,} tokens)" if counts and None not in counts else ""


def _marks(item: Placed) -> str:
    marks = {"inherited": item.inherited, "left branch": not item.on_path, "not sent": not item.in_context}
    told = [mark for mark, applies in marks.items() if applies]
    return f" ({', '.join(told)})" if told else ""


def _place(item: Placed) -> str:
    return f"line {item.line_no:,} of {code(item.log_path)}" if item.log_path and item.line_no else "the log has all of it"


def folded(text: str, most: int) -> tuple[str, int]:
    """The first lines, each of them clipped, and how many are left out."""
    lines: Sequence[str] = text.split("\n")
    shown = [clip(line, LINE_CHARS) for line in lines[:most]]
    return "\n".join(shown), len(lines) - len(shown)
