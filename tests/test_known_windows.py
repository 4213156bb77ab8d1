"""What other agents' logs say of their windows, through log, reader, lake and account: each gives what is known by hand.

For models that are not Claude's the invented provider counts a token of a result or prompt as 1, and 6 around a result, 4
around a prompt; for Claude as in `test_known_accounts`. Texts of n words are n tokens.
"""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import pytest
from lakes import ask
from logs import ClaudeLog, CodexLog
from test_known_accounts import OUT, OVERHEAD, PROMPT, accounted, counts, left_over, windows, words

CODEX_PROMPT, CODEX_RESULT = 104, 106
"""100 words typed, and 100 words of a result."""


def test_codex_keeps_reasoning_within_the_turn_and_no_turn_that_was_taken_back(tmp_path: Path):
    """The first call answers 50 tokens: 20 of reasoning, 30 for its tool call. The second still holds both; the next prompt
    drops the 20. The turn of `two` is taken back, so that `three` does not see it. A compaction leaves its replacement history
    of 100 words, 104 tokens, and nothing else."""
    log = CodexLog("kiln").prompt(words("one"))
    log._add("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "c2VhbGVk"})
    log._add("response_item", {"type": "function_call", "name": "shell", "arguments": '{"command":"ls"}', "call_id": "c1"})
    first = OVERHEAD + CODEX_PROMPT
    log.count((first, 0, OUT), reasoning=20)
    log._add("response_item", {"type": "function_call_output", "call_id": "c1", "output": words("listing")})
    log.answer(words("said"), (first + OUT + CODEX_RESULT, first, OUT), repeats=1)
    kept = first + OUT - 20 + CODEX_RESULT + OUT + CODEX_PROMPT
    log.prompt(words("two")).answer(words("left"), (kept, first, OUT), repeats=1)
    log._add("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    log.prompt(words("three")).answer("Yes.", (kept, first, OUT), repeats=1)
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": words("note", 98)}]}]
    log._add("compacted", {"message": "", "replacement_history": history})
    log.prompt(words("four")).answer("Yes.", (OVERHEAD + 2 * CODEX_PROMPT, 0, OUT), repeats=1)
    data = accounted(tmp_path, log)
    call = '{"command":"ls"}'
    assert windows(data) == {
        1: ["one"],
        2: ["one", "", call, "listing"],
        3: ["one", call, "listing", "said", "two"],
        4: ["one", call, "listing", "said", "three"],
        5: ["user::summary", "four"],
    }
    assert left_over(data) == [(OVERHEAD, 0)]


def test_opencode_clears_a_result_from_the_time_that_its_log_tells(tmp_path: Path):
    """Two results of 1,000 words, 0.9 x 1,000 + 18 = 918 each; the first is pruned between the second call and the third."""
    prompt = OVERHEAD + PROMPT
    told = [
        typed("msg_1", words("count"), 1),
        answered("msg_2", 2, prompt, tool("c1", words("old", 1_000), 3, compacted=12)),
        answered("msg_3", 10, prompt + OUT + 918, tool("c2", words("new", 1_000), 11)),
        answered("msg_4", 20, prompt + 2 * OUT + 918 + 12, {"type": "text", "text": "Counted."}),
    ]
    data = opencode(tmp_path, told)
    call = '{"command":"ls"}'
    assert windows(data) == {
        1: ["count"],
        2: ["count", call, "old"],
        3: ["count", call, "old:cleared", call, "new"],
    }
    assert left_over(data) == [(OVERHEAD, 0)]
    assert ask(data, "select bool_or(inferred) from residency") == [(False,)]


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        # 1,000 x 500 pixels are 36 x 18 patches of 28 pixels: 648 tokens and 10 around them.
        ("claude-sonnet-4-5", 658),
        # Of unknown model family only that it is an image is known: the constant.
        ("glaze-3", 1_000),
    ],
)
def test_an_image_is_what_its_provider_publishes_for_its_size(tmp_path: Path, model: str, tokens: int):
    picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 1_000, 500) + bytes(80)
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(picture).decode()}
    log = ClaudeLog("picture").prompt(words("look"))
    log.records[0]["message"]["content"] = [{"type": "image", "source": source}]
    data = accounted(tmp_path, log.answer("Blue.", tokens=counts(OVERHEAD + tokens), model=model))
    assert ask(data, "select image_width, image_height from items where kind = 'image'") == [(1_000, 500)]
    assert ask(data, "select tokens_calibrated from residency join items using (item_id) where kind = 'image'") == [(tokens,)]


def typed(name: str, said: str, second: int) -> dict[str, Any]:
    return {"info": {"id": name, "role": "user", "time": {"created": at(second)}}, "parts": [{"type": "text", "text": said}]}


def answered(name: str, second: int, prompt: int, part: dict[str, Any]) -> dict[str, Any]:
    tokens = {"input": prompt, "output": OUT, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    info = {"id": name, "role": "assistant", "modelID": "claude-sonnet-4-5", "providerID": "anthropic", "tokens": tokens}
    return {"info": {**info, "time": {"created": at(second), "completed": at(second)}}, "parts": [part]}


def tool(call: str, output: str, second: int, compacted: int | None = None) -> dict[str, Any]:
    time = {"start": at(second), "end": at(second)} | ({"compacted": at(compacted)} if compacted else {})
    state = {"status": "completed", "input": {"command": "ls"}, "output": output, "time": time}
    return {"type": "tool", "tool": "bash", "callID": call, "state": state}


def at(second: int) -> int:
    return 1_772_442_000_000 + second * 1_000


def opencode(folder: Path, messages: list[dict[str, Any]]) -> Path:
    info = {"id": "ses_loom", "version": "1.18.0", "directory": "/srv/looms", "time": {"created": at(0), "updated": at(90)}}
    for message in messages:
        message["info"]["sessionID"] = "ses_loom"
        message["parts"] = [{**part, "id": f"prt_{message['info']['id']}_{no}"} for no, part in enumerate(message["parts"])]
    (folder / "archive").mkdir(parents=True)
    (folder / "archive" / "ses_loom.json").write_text(json.dumps({"info": info, "messages": messages}))
    return accounted(folder)
