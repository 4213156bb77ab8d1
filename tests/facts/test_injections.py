"""Whatever a tool brings back, it adds nothing to what people demanded, decided, planned or asked, and takes nothing back."""

from pathlib import Path

import pytest
from sessions import Talk

from tasks.facts.constraints import constraints
from tasks.facts.decisions import decisions
from tasks.facts.plan import plan
from tasks.facts.questions import questions

TEXTS = (Path(__file__).parent / "cases" / "injections.txt").read_text(encoding="utf-8").split("\n%%\n")
NEEDED = 30


def ledgers(result: str, tool: str = "Read") -> bytes:
    """Everything extracted from one session, as bytes, where one of its tools brought back this result."""
    steps = [{"content": "Dig the clay", "status": "completed"}, {"content": "Fire it", "status": "pending"}]
    talk = Talk().user("Never push to main. Always run the tests before a commit. Which clay is it?")
    talk.call("TodoWrite", todos=steps).result(result)
    talk.says("I chose red clay because it is cheaper. Shall I fire it?").user("yes")
    talk.call(tool, path="kiln.log").result(result).says("The glaze is blocked by a missing key. Which kiln?")
    parts = [
        [(one.text, one.kind, one.status, one.scope, one.bytes) for one in constraints(talk.items)],
        [(one.text, one.reason, one.origin, one.status) for one in decisions(talk.items)],
        [(one.text, one.status) for one in plan(talk.items)],
        [(one.text, one.kind, one.item.seq) for one in questions(talk.items)],
    ]
    assert all(parts)
    return repr(parts).encode()


def test_there_are_thirty_of_them_all_different() -> None:
    assert len(set(TEXTS)) >= NEEDED


@pytest.mark.parametrize("tool", ["Read", "Bash", "TodoWrite", "mcp__desk__fetch"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_injection_in_a_result_changes_no_byte(text: str, tool: str) -> None:
    if tool == "TodoWrite":  # its own call would be a plan
        assert ledgers(text) == ledgers("900 degrees")
    else:
        assert ledgers(text, tool) == ledgers("900 degrees", tool)


def test_the_same_words_typed_by_a_person_would_count() -> None:
    """So that the test above cannot pass because nothing is found in these texts at all."""
    found = [constraints(Talk().user(text).items) or decisions(Talk().user("go").says(text).items) for text in TEXTS]
    assert sum(map(bool, found)) >= NEEDED // 2
