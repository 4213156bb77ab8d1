"""Steps in a text that is a list of them: check boxes, or items that end or begin with a word of status. Pure."""

import re

FEWEST = 2
"""Steps that make a list a plan."""
LOOKED_AT = 50_000
"""Characters of a text; plans are short."""
_BOX = re.compile(r"^[ \t]{0,40}(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX~\-/])\][ \t]+(\S.*)$", re.M)
_BOXES = {" ": "pending", "x": "completed", "X": "completed"}
_ITEM = re.compile(r"^[ \t]{0,40}(?:[-*+]|\d{1,3}[.)])[ \t]+(\S.*)$", re.M)
_NUMBERED = re.compile(r"^[ \t]{0,40}\d{1,3}[.)][ \t]+(\S.*)$", re.M)
_STATUS = r"done|completed?|finished|in[ _-]progress|doing|pending|to ?do|not started|skipped|dropped|cancell?ed|blocked"
_WORD_LAST = re.compile(rf"(.*?\S)[ \t]*(?:[-–—:]+|[(\[])[ \t]*\**({_STATUS})\**[)\]]?\.?$", re.I)
_WORD_FIRST = re.compile(rf"[(\[]?\**({_STATUS})\**(?:[)\]]|[ \t]*[-–—:])[ \t]*(\S.*)$", re.I)
_MARKS = {"✅": "completed", "☑": "completed", "✔": "completed", "✓": "completed", "⏳": "in_progress", "🔄": "in_progress",
          "⬜": "pending", "☐": "pending", "❌": "dropped"}  # fmt: skip


def boxes(text: str) -> list[dict[str, str]]:
    """Lines with a check box, in their order: `content` and `status`."""
    return [
        {"content": words.strip(), "status": _BOXES.get(box, "in_progress")} for box, words in _BOX.findall(text[:LOOKED_AT])
    ]


def steps_with_status(text: str) -> list[dict[str, str]]:
    """The check boxes of a text, else its list items with words of status; empty where it holds fewer than two."""
    found = boxes(text) if "[" in text else []
    if len(found) < FEWEST:
        found = [step for line in _ITEM.findall(text[:LOOKED_AT]) if (step := _told(line[:1000].strip()))]
    return found if len(found) >= FEWEST else []


def steps_of_proposal(text: str) -> list[dict[str, str]]:
    """The steps of a plan that was put to a person: its boxes, else its numbered lines, still to do."""
    numbered = [{"content": line.strip(), "status": "pending"} for line in _NUMBERED.findall(text[:LOOKED_AT])]
    return steps_with_status(text) or numbered


def _told(line: str) -> dict[str, str] | None:
    if line[0] in _MARKS:
        words = line[1:].lstrip("\ufe0f ")
        return {"content": words, "status": _MARKS[line[0]]} if words else None
    if last := _WORD_LAST.fullmatch(line):
        return {"content": last[1], "status": _plain(last[2])}
    if first := _WORD_FIRST.fullmatch(line):
        return {"content": first[2], "status": _plain(first[1])}
    return None


def _plain(status: str) -> str:
    words = "_".join(status.lower().replace("-", " ").replace("_", " ").split())
    return "pending" if words in ("todo", "to_do") else words
