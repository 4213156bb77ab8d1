"""Archives that are made when a test runs: too large, too many or too secret to lie in a repository."""

import json
import random
from pathlib import Path

from logs import ClaudeLog
from redaction.made_up import STRUCTURED, chars

LETTERS = "abcdefghijklmnopqrstuvwxyz"
READING = "2026-04-11T06:00:00,bed-7,soil 21.4,damp\n"


def huge_line(archive: Path, size: int) -> ClaudeLog:
    """A session whose only result is one line of `size` characters."""
    log = ClaudeLog("huge").prompt("Print the soil readings.")
    log.call("Bash", {"command": "cat soil.csv"}, READING * (size // len(READING)), tokens=(4, 0, 12, 6))
    log.answer("Damp all over.", tokens=(5, 0, 18, 3))
    log.write(archive)
    return log


def unbroken_runs(archive: Path, size: int) -> dict[str, str]:
    """A session of results that are one run of `size` characters each, by what they are a run of."""
    rng = random.Random(11)
    runs = {name: one * size for name, one in {"b": "b", "hash": "#", "blank": " ", "line": "\n", "zero": "0"}.items()}
    runs |= {"letters": chars(rng, LETTERS, size), "han": "梨" * size, "mixed": "-=" * (size // 2)}
    log = ClaudeLog("runs").prompt("Show the runs.")
    for name, run in runs.items():
        log.call("Bash", {"command": f"cat {name}"}, run)
    log.write(archive)
    return runs


def small_sessions(archive: Path, count: int) -> dict[str, int]:
    """Sessions of one question and one answer each; every 50th log is empty, every 43rd ends inside its last line."""
    made = {"whole": 0, "torn": 0, "empty": 0}
    for number in range(1, count + 1):
        log = ClaudeLog(f"small-{number}", cwd=f"/srv/plot-{number % 40}")
        log.prompt(f"Rake plot {number}.").answer(f"Raked {number}.", tokens=(1, 0, 0, 1))
        kind = "empty" if number % 50 == 0 else "torn" if number % 43 == 0 else "whole"
        content = b"".join(log.lines())
        path = archive / "projects" / f"-srv-plot-{number % 40}" / f"{log.session_id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes({"empty": b"", "torn": content[:-30], "whole": content}[kind])
        made[kind] += 1
    return made


def secrets(archive: Path) -> list[str]:
    """A session with secrets in every place where one may stand, and in a line that is cut; gives their values."""
    rng = random.Random(23)
    named = ("github_token", "anthropic_key", "openai_key", "aws_access_key", "slack_token", "google_api_key", "jwt")
    values = {name: STRUCTURED[name][0](rng) for name in named}
    values["password"] = "Quince" + chars(rng, LETTERS, 9) + "!7"
    key = chars(rng, LETTERS + "ABCDEFGH", 64)
    listing = (
        f"ANTHROPIC_API_KEY={values['anthropic_key']}\nAWS_ACCESS_KEY_ID={values['aws_access_key']}\n"
        f"CHAT={values['slack_token']}\nDATABASE_URL=mysql://farmer:{values['password']}@db.example.invalid:3306/farm\n"
        f"SHADE=green\n-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n"
        f"GET /v2?key={values['google_api_key']}\ncookie: session={values['jwt']}"
    )
    log = ClaudeLog("secrets").prompt(f"The push fails. My token is {values['github_token']}")
    log.answer(f"Trying {values['github_token']}.")
    log.records[-1]["message"]["content"].insert(0, {"type": "thinking", "thinking": f"Is {values['github_token']} valid?"})
    log.call(
        "Bash", {"command": f"curl -H 'Authorization: Bearer {values['openai_key']}' https://farm.example.invalid"}, listing
    )
    log.records[-1]["toolUseResult"] = {"stdout": listing, "stderr": ""}
    log.prompt("Commit 3c0b7d9e5f2a48160b9d7e3f5a1c2b4d6e8f9071 is no secret.")
    whole = b"".join(log.lines())
    log.write(archive).write_bytes(whole + json.dumps(log.records[-2]).encode()[:520] + b"\n")
    return [*values.values(), key]
