"""Agents whose forks repeat the parent's records byte for byte, without a name for it: what is repeated counts once."""

import json
from pathlib import Path

from builders import Answer, Story, Turn, Used, write_lines
from lakes import ask, night
from writers.kimi import write

STORY = Story("session_a", (Turn("Sow.", (Answer("Sown.", Used(5, 6, 7, 8, 0)),)),))
REAP = {"role": "user", "content": [{"type": "text", "text": "Reap."}], "toolCalls": []}


def test_a_fork_of_kimi_inherits_what_it_repeats(tmp_path: Path):
    log = write(STORY, tmp_path / "archive")
    journal = [json.loads(line) for line in log.read_text().splitlines()]
    at = journal[-1]["time"]
    own = [{"type": "forked", "time": at + 1}, {"type": "context.append_message", "message": REAP, "time": at + 2}]
    write_lines(tmp_path / "archive" / "session_b" / "agents" / "main" / "wire.jsonl", [*journal, *own])
    data = tmp_path / "data"
    night(tmp_path / "archive", data, final_grace_hours=0)
    assert ask(data, "select count(*), sum(prompt_tokens) from requests") == [(1, 18)]
    assert ask(data, "select session_id, parent_session_id, relation from sessions order by 1") == [
        ("kimi:session_a", None, None),
        ("kimi:session_b", "kimi:session_a", "fork"),
    ]
    placed = "select inherited, count(*) from placements where session_id = 'kimi:session_b' group by 1 order by 1"
    assert ask(data, placed) == [(False, 1), (True, 2)]
