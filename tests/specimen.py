"""A small archive in which, between them, the logs say everything that the tables have a column for."""

import json
from base64 import b64encode
from datetime import timedelta
from pathlib import Path
from typing import Any

from lakes import analyzed, night
from logs import START, ClaudeLog, CodexLog


def archive(root: Path, *, is_sealed: bool = True) -> Path:
    """Two agents; a session that calls tools, is compacted, resumed, copied and continued; a fork; a spoiled line."""
    weave = ClaudeLog("weave").prompt("Warp the loom.").answer("Warping.", "Warped.")
    weave.call("Read", {"file_path": "/srv/looms/a.py"}, "x = 1").compact("The loom is warped.").prompt("Weave.").answer(
        "Woven."
    )
    weave.call("Bash", {"command": "ls attic"}, "no such room")
    weave.records[-1]["message"]["content"][0]["is_error"] = True
    if is_sealed:
        weave.think("Where is it?")
    for record in weave.records:
        if "compactMetadata" in record:
            record["compactMetadata"]["postTokens"] = 900
        if record["type"] == "assistant":
            record["message"]["usage"] |= {
                "service_tier": "standard",
                "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 6},
                "server_tool_use": {"web_search_requests": 1},
            }
    path = weave.write(root)
    path.write_bytes(path.read_bytes() + b'{"type": "user", "mess\n')
    (root / "export.jsonl").write_bytes(b"".join(weave.lines()[:3]))
    (root / "notes.jsonl").write_bytes(b'{"color": "madder"}\n')
    resume = weave.resumed("again").prompt("Dye it.").answer("Dyed.")
    resume.write(root).write_bytes(b"".join(resume.lines()) + _title(resume))
    mend = ClaudeLog("mend", start=START + timedelta(days=1)).prompt("Mend it.").answer("Mended.")
    mend.records[0]["parentUuid"] = weave.records[-1]["uuid"]
    del mend.records[1]["message"]["id"]
    mend.write(root)
    if is_sealed:
        _rewound().write(root)
        _pruned(root)
    _shrinking().write(root)
    spin = CodexLog("spin", start=START + timedelta(hours=1)).prompt("Spin.").answer("Spun.").answer("Done.")
    spin.records[0]["payload"]["git"] = {"branch": "main", "commit_hash": "0" * 40}
    spin.records.append({**spin.records[-1], "type": "compacted", "payload": {"message": "All is spun."}})
    spin.write(root)
    spin.forked("card").prompt("Card first.").answer("Carded.").write(root)
    return root


def _shrinking() -> ClaudeLog:
    """A conversation begun anew in the same log, without a record; what is left of its prefix is paid for again in part. One
    result names a file that a later call names as well, and the last answer was logged before it was complete."""
    log = ClaudeLog("shrink", start=START + timedelta(days=2)).prompt("Count the threads.")
    read, prompt = 0, 20_000
    for count, command in ((4_000, "wc"), (10, "cat src/looms/heddle.py"), (10, "wc"), (10, "wc")):
        log.call("Bash", {"command": command}, "src/looms/heddle.py" + " warp weft" * count, (0, prompt - read, read, 5))
        read = prompt
        prompt += round(0.9 * 3 * count) + 110
    log.prompt("Count the needles.").answer("Counting them all.", tokens=(0, 5_100, 15_000, 1))
    del log.records[-1]["message"]["stop_reason"]
    return log


def _rewound() -> ClaudeLog:
    """A prompt with a picture, and another one in its place."""
    log = ClaudeLog("rewound", start=START + timedelta(days=3)).prompt("Warp it.").answer("Warped.").prompt("Like this.")
    picture = b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes((0, 0, 0, 64, 0, 0, 0, 48)) + bytes(9)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    log.records[-1]["message"]["content"] = [{"type": "image", "source": source}]
    return log.answer("So?").after(1).prompt("Like that.").answer("So.")


def _pruned(root: Path) -> None:
    """A result that was cleared later."""
    at = 1_772_442_000_000
    time = {"start": at + 2_000, "end": at + 3_000, "compacted": at + 9_000}
    state = {"status": "completed", "input": {"command": "ls"}, "output": "shuttle", "time": time}
    parts: list[dict[str, Any]] = [
        {"id": "prt_1", "type": "text", "text": "List it."}, {"id": "prt_2", "type": "tool", "tool": "bash", "state": state},
    ]  # fmt: skip
    infos = ({"id": "msg_1", "role": "user"}, {"id": "msg_2", "role": "assistant", "modelID": "glaze-3"})
    messages = [
        {"info": {**info, "sessionID": "ses_1", "time": {"created": at + 1_000 * no}}, "parts": [part]}
        for no, (info, part) in enumerate(zip(infos, parts, strict=True), 1)
    ]
    info = {"id": "ses_1", "version": "1.18.0", "directory": "/srv/looms", "time": {"created": at, "updated": at}}
    (root / "ses_1.json").write_text(json.dumps({"info": info, "messages": messages}))


def _title(log: ClaudeLog) -> bytes:
    leaf = log.records[-1]["uuid"]
    return json.dumps({"type": "summary", "summary": "Weaving", "leafUuid": leaf}).encode() + b"\n"


def data(folder: Path, *, is_sealed: bool = True) -> Path:
    """The lake of that archive, after one night. `is_sealed`: something in it is for the model alone, and what else only
    columns of later versions tell."""
    night(archive(folder / "archive", is_sealed=is_sealed), folder / "data")
    analyzed(folder / "data")
    return folder / "data"
