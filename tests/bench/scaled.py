"""An archive of any size, made from a smaller one: copies of its Claude Code and Codex logs under new ids, a week later each.

A log that is the beginning of another is left out, so that the copies hold as much of their own as real homes of that size.
"""

import hashlib
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

ID = re.compile(
    rb"\b(?P<name>msg_|req_|toolu_|call_|fc_|rs_)(?P<rest>[A-Za-z0-9]{10,})\b"
    rb"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    rb"|\bagent-[0-9a-f]{8,}\b"
)
"""What names a session, a record, a call or a sub-agent, in paths as well as in logs."""
DAY = re.compile(rb'(?<="timestamp":")(\d{4}-\d\d-\d\d)(?=T)')
STEP = timedelta(days=7)


def grow(archive: Path, home: Path, megabytes: float) -> int:
    """Lays copies into `home` until they are as large as wanted; the bytes that were written."""
    logs, written, number = whole_logs(archive), 0, 0
    if not logs:
        raise SystemExit(f"{archive} holds no logs of Claude Code or Codex in folders of these names")
    while written < megabytes * 1e6:
        renamed, dated = _renaming(number), _dating(number)
        for path in logs:
            content = DAY.sub(dated, ID.sub(renamed, path.read_bytes()))
            place = _place(path.relative_to(archive), number)
            beside = home / ID.sub(renamed, place.as_posix().encode()).decode()
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(content)
            written += len(content)
        number += 1
    return written


def whole_logs(archive: Path) -> list[Path]:
    """The JSONL files below `claude-code` and `codex`, or the agents' own folders, but those that another one begins with."""
    found = [p for name in ("claude-code", "codex", ".claude", ".codex") for p in sorted((archive / name).rglob("*.jsonl"))]
    contents = {path: path.read_bytes() for path in found}
    return [
        path
        for path, content in contents.items()
        if not any(len(other) > len(content) and other.startswith(content) for other in contents.values())
    ]


def _place(path: Path, number: int) -> Path:
    agent, *rest = path.parts
    return Path("." + agent.lstrip(".").removesuffix("-code"), "projects", f"copy-{number}", *rest)


def _renaming(number: int) -> Callable[[re.Match[bytes]], bytes]:
    """The same id gets the same new one in all files of a copy; its shape stays."""
    memo: dict[bytes, bytes] = {}

    def renamed(match: re.Match[bytes]) -> bytes:
        old = match[0]
        if old not in memo:
            new = hashlib.sha1(b"%d:%s" % (number, old)).hexdigest().encode() * 2
            if match["name"]:
                memo[old] = match["name"] + new[: len(match["rest"])]
            elif old.startswith(b"agent-"):
                memo[old] = b"agent-" + new[: len(old) - 6]
            else:
                memo[old] = b"-".join((new[:8], new[8:12], old[14:15] + new[12:15], b"a" + new[16:19], new[20:32]))
        return memo[old]

    return renamed


def _dating(number: int) -> Callable[[re.Match[bytes]], bytes]:
    return lambda match: (date.fromisoformat(match[0].decode()) + number * STEP).isoformat().encode()
