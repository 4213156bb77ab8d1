"""Forks that copy their parent under new ids and name no parent (OpenCode): counted once, whichever night brings which."""

import copy
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from builders import Answer, Story, Tool, Turn, Used
from lakes import ask, logical_rows, night
from writers.opencode import write_export

DERIVED = ("sessions", "requests", "items", "placements", "compactions")
BORN_MS = 1_772_442_000_000
STORY = Story(
    "ses_a",
    (
        Turn("Warp.", (Answer("Warping.", Used(9, 80, 7, 30, 4), "Count.", (Tool("bash", {"n": 1}, "ok"),)),)),
        Turn("Weave.", (Answer("Woven.", Used(5, 99, 0, 12)),)),
    ),
)
PROMPTS = {
    "a": {"Warp.", "Weave."},
    "b": {"Warp.", "Weave.", "Card."},
    "c": {"Warp.", "Weave.", "Card.", "Comb."},
    "d": {"Warp."},
}
SOME = ["abcd", "bc", "bd", "ac"]
ALL = ["".join(found) for n in range(1, 5) for found in itertools.combinations("abcd", n)]


def export(of: dict[str, Any], name: str, messages: int, born: int, own: str | None = None) -> dict[str, Any]:
    """An export that copies so many messages of another under ids of its own, and goes on with a prompt of its own."""
    made = copy.deepcopy(of)
    made["messages"] = made["messages"][:messages]
    made["info"] |= {"id": name, "title": name, "time": {"created": BORN_MS + born * 1000}}
    for n, message in enumerate(made["messages"]):
        message["info"] |= {"id": f"msg_{name}{n}", "sessionID": name}
        for k, part in enumerate(message["parts"]):
            part |= {"id": f"prt_{name}{n}_{k}", "messageID": message["info"]["id"], "sessionID": name}
    if own:
        made["messages"] += _turn(name, len(made["messages"]), made["info"]["time"]["created"], own, born)
    return made


def _turn(name: str, n: int, at: int, own: str, fresh: int) -> list[dict[str, Any]]:
    tokens = {"input": fresh, "output": 7, "reasoning": 0, "cache": {"read": 1, "write": 1}}
    asked = {"id": f"msg_{name}{n}", "sessionID": name, "role": "user", "time": {"created": at + 1000}}
    answered = {"id": f"msg_{name}{n + 1}", "sessionID": name, "role": "assistant", "time": {"created": at + 2000}}
    return [
        {"info": asked, "parts": [{"id": f"prt_{name}{n}", "type": "text", "text": own}]},
        {
            "info": answered | {"modelID": "w", "tokens": tokens},
            "parts": [{"id": f"prt_{name}{n + 1}", "type": "text", "text": f"{own} done"}],
        },
    ]


def family(folder: Path) -> dict[str, dict[str, Any]]:
    """a; its forks b (all of it) and d (its first turn), b's fork c."""
    folder.mkdir()
    told = json.loads(write_export(STORY, folder).read_text(encoding="utf-8"))
    a = export(told, "ses_a", 9, 0)
    b = export(a, "ses_b", 4, 500, "Card.")
    return {"a": a, "b": b, "c": export(b, "ses_c", 6, 900, "Comb."), "d": export(a, "ses_d", 2, 950)}


def counted_once(present: str, folder: Path) -> None:
    logs = family(folder / "story")
    for way in ("archive", "grows"):
        (folder / way).mkdir()
    for name in present:
        (folder / "archive" / f"{name}.json").write_text(json.dumps(logs[name]), encoding="utf-8")
    night(folder / "archive", folder / "once")
    for name in reversed(present):
        (folder / "grows" / f"{name}.json").write_text(json.dumps(logs[name]), encoding="utf-8")
        night(folder / "grows", folder / "nights")
    prompts = set().union(*(PROMPTS[name] for name in present))
    typed = ask(folder / "once", "select text from items where kind = 'user_text' order by text")
    assert [text for (text,) in typed] == sorted(prompts)
    assert ask(folder / "once", "select count(*) from requests") == [(len(prompts),)]
    assert logical_rows(folder / "once", DERIVED) == logical_rows(folder / "nights", DERIVED)


@pytest.mark.parametrize("present", SOME)
def test_a_family_of_nameless_forks_is_counted_once_in_any_order_of_nights(present: str, tmp_path: Path):
    counted_once(present, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("present", ALL)
def test_every_part_of_the_family_is_counted_once(present: str, tmp_path: Path):
    counted_once(present, tmp_path)
