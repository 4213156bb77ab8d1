"""Shell commands that read, that search, and that do something else."""

import json

import pytest

from tasks.domain.kinds import ToolCategory
from tasks.tokens.looking import command_of, looks

READ, SEARCH = ToolCategory.READ, ToolCategory.SEARCH


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat looms/a.py", READ),
        ("sed -n '1,40p' looms/a.py", READ),
        ("cd looms && head -50 a.py | nl", READ),
        ("nl -ba a.py | sed -n '10,20p'", READ),
        ("Get-Content -Path loom.cs", READ),
        ("grep -rn warp looms | head -5", SEARCH),
        ("rg warp | sort | uniq -c", SEARCH),
        ("find . -name '*.py' | sed 's/x/y/'", SEARCH),
        ("git grep warp", SEARCH),
        ("cat a.py && ls", READ),
        ("sed -i s/a/b/ a.py", None),
        ("cat > a.py <<'EOF'\nwarp\nEOF", None),
        ("find . -name x -delete", None),
        ("git log", None),
        ("cat a.py | python -", None),
        ("make test", None),
        ("cd looms", None),
        ("", None),
    ],
)
def test_a_command_is_a_look_where_every_program_in_it_is(command: str, expected: ToolCategory | None):
    assert looks(json.dumps({"command": command})) == expected


def test_the_command_is_found_under_the_names_that_agents_give_it():
    assert command_of('{"cmd":"ls"}') == "ls"
    assert command_of('{"command":["bash","-lc","cat a.py | head"]}') == "cat a.py | head"
    assert command_of('{"command":["ls","-l"]}') == "ls -l"
    assert command_of('{"path":"a.py"}') == ""
    assert command_of("no JSON") == ""
    assert command_of('["ls"]') == ""
