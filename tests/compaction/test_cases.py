"""What a policy makes of a conversation, line by line: cases/<policy>/<fact>/ has before.txt and after.txt.

before.txt is the conversation, an item a line: `user`, `say`, `think`, `summary` or `inject` and the words; `call Tool a=b` and
after ` -> ` its result. `{warp*30}` is thirty times that word. `set name number` is the policy's own setting. after.txt is the
outline of the compacted context (tokens are words), then what the plan notes, each after `note: `.
"""

import re
from pathlib import Path

import pytest
from contexts import Talk, words

from tasks.compaction.outline import outline
from tasks.compaction.plan import Budget, apply
from tasks.compaction.registry import POLICIES

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(path.parent for path in FOLDER.rglob("before.txt"))
_REPEATED = re.compile(r"\{([^*{}]+)\*(\d+)\}")


def conversation(script: str) -> tuple[Talk, dict[str, object]]:
    """The conversation of a script and the settings in it."""
    talk, settings = Talk(), dict[str, object]()
    for line in script.splitlines():
        verb, _, said = _REPEATED.sub(lambda match: " ".join([match[1]] * int(match[2])), line).partition(" ")
        if verb == "set":
            name, _, number = said.partition(" ")
            settings[name] = int(number)
        elif verb == "call":
            called, _, result = said.partition(" -> ")
            tool, *arguments = called.split()
            talk.call(tool, result or None, **dict(argument.split("=", 1) for argument in arguments))
        else:
            getattr(talk, verb)(said)
    return talk, settings


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_policy_makes_of_a_conversation_what_its_case_says(case: Path):
    talk, settings = conversation((case / "before.txt").read_text("utf-8"))
    context = talk.context(settings=settings)
    plan = POLICIES[case.parent.name]().plan(context, Budget(frees=int(str(settings.get("frees", 0))) or None))
    told = [*outline(apply(plan, context.items), words), *(f"note: {note}" for note in plan.notes)]
    assert "\n".join(told) + "\n" == (case / "after.txt").read_text("utf-8")


def test_every_policy_has_a_case():
    assert sorted({case.parent.name for case in CASES}) == sorted(POLICIES)
