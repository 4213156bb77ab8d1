"""A story as a trajectory of SWE-agent, with function calls."""

import json
from pathlib import Path
from typing import Any

from builders import Answer, Story, Writer


def write(story: Story, folder: Path) -> Path:
    """`<task>.traj`; the task's name is the session's."""
    history: list[dict[str, Any]] = [_message("system", "You mend looms.", "system_prompt")]
    steps: list[dict[str, Any]] = []
    for no, turn in enumerate(story.turns):
        history.append(_message("user", turn.prompt, "observation"))
        for at, answer in enumerate(turn.answers):
            said, step = _answer(answer, f"{no}-{at}")
            history += said
            steps.append(step)
    info = {"exit_status": None, "model_stats": {"instance_cost": 0, "tokens_sent": 0, "tokens_received": 0, "api_calls": 0}}
    log = folder / f"{story.native_id}.traj"
    document = {"environment": "main", "trajectory": steps, "history": history, "info": info}
    log.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return log


def _message(role: str, content: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "agent": "main", "message_type": kind, **more}


def _answer(answer: Answer, name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    ids = [f"call_{name}_{no}" for no, _ in enumerate(answer.tools)]
    calls = [
        {"function": {"arguments": json.dumps(tool.arguments), "name": tool.name}, "id": one, "type": "function"}
        for one, tool in zip(ids, answer.tools, strict=True)
    ]
    action = answer.tools[0].name if answer.tools else ""
    said = _message("assistant", answer.text, "action", thought=answer.text, action=action, tool_calls=calls)
    results = [
        _message("tool", tool.result, "observation", tool_call_ids=[one]) for one, tool in zip(ids, answer.tools, strict=True)
    ]
    step = {
        "action": action, "observation": answer.tools[0].result if answer.tools else "", "response": answer.text,
        "thought": answer.text, "execution_time": 0.1, "state": {"working_dir": "/srv/looms", "open_file": "n/a"},
    }  # fmt: skip
    return [said, *results], step


LACKS = frozenset({"usage", "cache_read", "cache_write", "reasoning_tokens", "reasoning", "model"})
WRITERS = (Writer("swe-agent", "swe-agent", write, LACKS),)
