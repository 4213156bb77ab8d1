"""A session large enough for policies to be tried on it."""

from typing import Any

from logs import ClaudeLog

LONG = "The warp is threaded through the heddles.\n" * 160
"""About 1,600 tokens."""


def loom(name: str, *, reads: int = 22, **more: Any) -> ClaudeLog:
    """Reads of a file with a name in each that a later edit needs; two calls beyond the last read are its own."""
    log = ClaudeLog(name, **more).prompt("You must never cut the warp. Weave the border.")
    for number in range(reads):
        path = f"/srv/looms/{number}.txt"
        log.call(
            "Read", {"file_path": path}, f"{LONG}knotNumber{number}Tied = {number}\n", tokens=(0, 0, 900 * (number + 1), 9)
        )
    steps = [{"content": "Weave the border", "status": "pending"}]
    log.call("TodoWrite", {"todos": steps}, "ok", tokens=(0, 0, 900 * reads, 9))
    for number in range(2):
        old = f"knotNumber{number}Tied = {number}"
        log.call("Edit", {"file_path": "/srv/looms/0.txt", "old_string": old, "new_string": "untied"}, "ok")
    return log.answer("Woven.")
