"""Traces of Copilot in Visual Studio: a chat span for each call with the whole prompt before it, a span for each tool."""

import json
from datetime import UTC
from pathlib import Path
from typing import Any

from builders import Answer, Story, Tool, Writer

RESOURCE = {"attributes": [{"key": "service.name", "value": {"stringValue": "vs-copilot"}}]}


def attribute(key: str, value: Any) -> dict[str, Any]:
    plain = {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}
    return {"key": key, "value": plain}


class Trace:
    """The spans of one story so far, and the messages that the next prompt repeats."""

    def __init__(self, story: Story) -> None:
        self.story, self.lines, self.messages = story, list[str](), list[dict[str, Any]]()

    def span(self, operation: str, facts: dict[str, Any]) -> None:
        no = len(self.lines)
        at = int(self.story.start.replace(tzinfo=UTC).timestamp()) + no
        facts = {"gen_ai.conversation.id": self.story.native_id, "gen_ai.operation.name": operation, **facts}
        span = {
            "traceId": "f" * 32, "spanId": f"{no:016x}", "name": operation, "startTimeUnixNano": f"{at}000000000",
            "endTimeUnixNano": f"{at}500000000", "attributes": [attribute(key, value) for key, value in facts.items()],
        }  # fmt: skip
        batch = {"resourceSpans": [{"resource": RESOURCE, "scopeSpans": [{"spans": [span]}]}]}
        self.lines.append(json.dumps(batch))

    def said(self, role: str, parts: list[dict[str, Any]]) -> None:
        self.messages.append({"role": role, "parts": parts})

    def answer(self, no: str, answer: Answer) -> None:
        used = answer.used
        before = json.dumps(self.messages)
        ids = [f"call-{no}-{n}" for n in range(len(answer.tools))]
        parts = [{"type": "reasoning", "content": answer.reasoning}, {"type": "text", "content": answer.text}]
        parts += [
            {"type": "tool_call", "id": call_id, "name": tool.name, "arguments": tool.arguments}
            for call_id, tool in zip(ids, answer.tools, strict=True)
        ]
        self.said("assistant", parts)
        self.span("chat", {
            "gen_ai.response.model": self.story.model, "gen_ai.input.messages": before,
            "gen_ai.output.messages": json.dumps(self.messages[-1:]),
            "gen_ai.usage.input_tokens": used.uncached + used.cache_read + used.cache_write,
            "gen_ai.usage.cache_read.input_tokens": used.cache_read,
            "gen_ai.usage.cache_creation.input_tokens": used.cache_write, "gen_ai.usage.output_tokens": used.output,
            "gen_ai.usage.reasoning.output_tokens": used.reasoning,
        })  # fmt: skip
        for call_id, tool in zip(ids, answer.tools, strict=True):
            self.tool(call_id, tool)

    def tool(self, call_id: str, tool: Tool) -> None:
        self.said("tool", [{"type": "tool_call_response", "id": call_id, "response": tool.result}])
        self.span("execute_tool", {
            "gen_ai.tool.name": tool.name, "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": json.dumps(tool.arguments), "gen_ai.tool.call.result": tool.result,
        })  # fmt: skip


def write(story: Story, folder: Path) -> Path:
    trace = Trace(story)
    for turn_no, turn in enumerate(story.turns):
        trace.said("user", [{"type": "text", "content": turn.prompt}])
        for no, answer in enumerate(turn.answers):
            trace.answer(f"{turn_no}-{no}", answer)
    log = folder / "20260302T090000_VSGitHubCopilot_traces.jsonl"
    log.write_text("\n".join(trace.lines) + "\n", encoding="utf-8")
    return log


WRITERS = (Writer("vs-copilot", "vs-copilot", write),)
