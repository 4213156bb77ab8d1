"""CodeCoder's structured summary: its template, both ways, and how a newer one is merged into an older one. Pure."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

HEADING = "[Summary]"
TRACKING = "[File Tracking]"
_BEFORE = "before: "
_FIELDS = {
    "goal": "Goal", "constraints": "Constraints", "progress": "Progress", "key_decisions": "Key Decisions",
    "next_steps": "Next Steps",
}  # fmt: skip
_LABEL = re.compile(rf"({'|'.join([*_FIELDS.values(), 'Read', 'Modified'])}):[ ]?(.*)")
_NAMES = {label: name for name, label in _FIELDS.items()} | {"Read": "read", "Modified": "modified"}
_PATH = re.compile(r'(?:\A|, )("(?:[^"\\]|\\.)*"(?=, |\Z)|.+?(?=, |\Z))')

Items = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """Five fields and the files."""

    goal: str = ""
    constraints: Items = ()
    progress: Items = ()
    key_decisions: Items = ()
    next_steps: Items = ()
    read: Items = ()
    modified: Items = ()
    """A file may be read and modified."""
    earlier_goals: Items = ()
    """Those that a newer one took the place of, newest first."""


def merge(old: Summary, new: Summary) -> Summary:
    """What was before and what came since: the newest goal and next steps, the union of all else, nothing dropped."""
    goal = new.goal or old.goal
    earlier = (old.goal, *old.earlier_goals) if new.goal and old.goal and not _same(old.goal, new.goal) else old.earlier_goals
    return Summary(
        goal=goal,
        constraints=merge_items(old.constraints, new.constraints),
        progress=merge_items(old.progress, new.progress),
        key_decisions=merge_items(old.key_decisions, new.key_decisions),
        next_steps=new.next_steps,
        read=_union(old.read, new.read, key=str),
        modified=_union(old.modified, new.modified, key=str),
        earlier_goals=tuple(one for one in earlier if not _same(one, goal)),
    )


def merge_items(old: Iterable[str], new: Iterable[str]) -> Items:
    """The union in order; what differs in case and white space alone is one, in its first wording."""
    return _union(old, new, key=_normal)


def render(summary: Summary) -> str:
    """The template; a field of several items has a line for each."""
    goals = (summary.goal, *(_BEFORE + goal for goal in summary.earlier_goals)) if summary.goal else ()
    fields = [_field(label, goals if name == "goal" else getattr(summary, name)) for name, label in _FIELDS.items()]
    read, modified = (", ".join(map(_path, paths)) for paths in (summary.read, summary.modified))
    return "\n".join([HEADING, *fields, "", TRACKING, f"Read: {read}".rstrip(), f"Modified: {modified}".rstrip()])


def parse(text: str) -> Summary | None:
    """What a text in the template says; None where it has no heading and no field."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.split("\n"):
        label = _LABEL.fullmatch(line)
        if label:
            name = _NAMES[label[1]]
            found[name] = [label[2]] if label[2] else []
        elif name in ("", "read", "modified") or line in ("", TRACKING):
            continue
        elif line.startswith("- "):
            found[name].append(line[2:])
        elif found[name]:
            found[name][-1] += "\n" + line.removeprefix("  ")
        else:
            found[name].append(line)
    if not found and HEADING not in text.split("\n"):
        return None
    return _summary(found)


def _summary(found: dict[str, list[str]]) -> Summary:
    goals = found.get("goal", [])

    def items(name: str) -> Items:
        return tuple(found.get(name, ()))

    return Summary(
        goals[0] if goals else "", items("constraints"), items("progress"), items("key_decisions"), items("next_steps"),
        _paths(items("read")), _paths(items("modified")), tuple(goal.removeprefix(_BEFORE) for goal in goals[1:]),
    )  # fmt: skip


def _field(label: str, items: Items) -> str:
    if len(items) == 1 and "\n" not in items[0] and not items[0].startswith("- "):
        return f"{label}: {items[0]}"
    return "\n".join([f"{label}:", *("- " + item.replace("\n", "\n  ") for item in items)])


def _path(path: str) -> str:
    """A path as it is; in quotes where a comma in it would part it."""
    return json.dumps(path, ensure_ascii=False) if ", " in path or "\n" in path or path.startswith('"') else path


def _paths(listed: Items) -> Items:
    return tuple(_unquoted(path) for path in _PATH.findall(" ".join(listed).strip()))


def _unquoted(path: str) -> str:
    try:
        told = json.loads(path) if path.startswith('"') else path
    except ValueError:
        return path
    return told if isinstance(told, str) else path


def _union(old: Iterable[str], new: Iterable[str], *, key: Callable[[str], str]) -> Items:
    kept: dict[str, str] = {}
    for item in (*old, *new):
        kept.setdefault(key(item), item)
    return tuple(kept.values())


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()


def _same(one: str, other: str) -> bool:
    return _normal(one) == _normal(other)
