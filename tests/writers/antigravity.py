"""Antigravity's transcript: steps without tokens, arguments as JSON inside JSON, results that name no call."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from builders import Answer, Story, Tool, Writer


def calls(answer: Answer) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "args": {key: json.dumps(value) for key, value in tool.arguments.items()}} for tool in answer.tools
    ]


def result(tool: Tool) -> dict[str, Any]:
    return {"source": "MODEL", "type": "GENERIC", "content": tool.result}


def steps(story: Story) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for turn in story.turns:
        asked = f"<USER_REQUEST>\n{turn.prompt}\n</USER_REQUEST>"
        found.append({"source": "USER_EXPLICIT", "type": "USER_INPUT", "content": asked})
        for answer in turn.answers:
            plan = {"thinking": answer.reasoning, "content": answer.text, "tool_calls": calls(answer)}
            found += [{"source": "MODEL", "type": "PLANNER_RESPONSE", **plan}, *map(result, answer.tools)]
    return found


def write(story: Story, folder: Path) -> Path:
    log = folder / "brain" / story.native_id / ".system_generated" / "logs" / "transcript.jsonl"
    log.parent.mkdir(parents=True)
    lines = []
    for index, step in enumerate(steps(story)):
        at = story.start + timedelta(seconds=index)
        lines.append(json.dumps({"step_index": index, "status": "DONE", "created_at": f"{at.isoformat()}Z", **step}))
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return log


WRITERS = (Writer("antigravity", "antigravity", write, frozenset(("usage",))),)
