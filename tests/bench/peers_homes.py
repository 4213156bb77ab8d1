"""One home folder with the logs of every agent that another counter knows too, each where its agent keeps it.

Three kinds of logs are laid: those of an archive laid out as `<agent>/<file>`, the packaged samples, and stories told by the
writers of the tests. The stories are made here and hold what a sum can go wrong with: cached prompts, caches written,
reasoning, tools, many calls, calls that cost next to nothing.
"""

import json
import shutil
import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import timedelta
from importlib import import_module
from pathlib import Path

from builders import START, STEP, Answer, Story, Tool, Turn, Used, write_lines
from writers.hermes import COUNTS

SAMPLES = Path(__file__).resolve().parents[2] / "data/samples"
_CODE = ".config/Code/User/globalStorage"
_SAMPLE_PLACES = {
    "amp": ".local/share/amp", "claude-code": ".claude", "codex": ".codex", "cline": _CODE, "copilot-cli": ".copilot",
    "factory-droid": ".factory", "gemini-cli": ".gemini", "goose": ".local/share/goose", "grok": ".grok", "hermes": ".hermes",
    "kimi": ".kimi-code", "openclaw": ".openclaw", "opencode": ".local/share/opencode", "pi": ".pi/agent", "qwen-code": ".qwen",
    "roo": _CODE, "antigravity": ".gemini/antigravity-cli",
}  # fmt: skip
"""Where an agent keeps what `data/samples/<agent>` shows."""


AGENTS = frozenset(_SAMPLE_PLACES)


def stories() -> list[Story]:
    """Counts are told apart by their digits: a bucket that is missed or counted twice shows in the sums."""
    tool = Tool("run", {"command": "card --wool"}, "two baskets carded")
    answers = [
        (Answer("The warp is set.", Used(1_003, 0, 0, 41)),),
        (
            Answer("Now the weft.", Used(210, 50_021, 4_007, 330, 120), "Which shed first?", (tool, tool)),
            Answer("Done.", Used(9, 54_238, 0, 17)),
        ),
        tuple(Answer(f"Row {n}.", Used(100 + n, 2_000 * n, 30 * n, 50 + n, n), "Count." * n, (tool,)) for n in range(1, 25)),
        (Answer("Nothing was said by the meter.", Used(0, 0, 0, 1)), Answer("All from the cache.", Used(0, 7_777, 0, 5))),
        (Answer("\u2028 a break that is none \u65e5\u672c", Used(77, 0, 600_000, 90, 89), "Long thought."),),
    ]  # fmt: skip
    told = []
    for number, of_turn in enumerate(answers):
        prompts = ("Weave a band.", "And its twin, please.")
        turns = tuple(Turn(prompt, of_turn) for prompt in prompts)
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"loom {number}"))
        told.append(Story(name, turns, start=START + timedelta(days=number)))
    return told


def lay(archive: Path, home: Path) -> None:
    """Everything but an archive's logs of Claude Code and Codex, whose copies are a matter of their own."""
    for agent, place in _SAMPLE_PLACES.items():
        shutil.copytree(SAMPLES / agent, home / place, dirs_exist_ok=True)
    for agent, lay_log in _ARCHIVED.items():
        for log in sorted(path for path in (archive / agent).rglob("*") if path.is_file()):
            place = lay_log(log)
            if place:
                _copy(log, home / place)
    for name, told in _TOLD.items():
        for number, story in enumerate(stories()):
            with tempfile.TemporaryDirectory() as folder:
                told(_written(name, story, Path(folder)), story, home, number)


def _written(name: str, story: Story, folder: Path) -> Path:
    module, own_name = name.split(" ", 1)
    writers = import_module(f"writers.{module}").WRITERS
    return next(writer for writer in writers if writer.name == own_name).write(story, folder)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)


def _beside(place: str) -> Callable[[Path], str]:
    """A place with the log's own name or stem in it."""
    return lambda log: place.format(name=log.name, stem=log.name.split(".")[0])


def _opencode(log: Path) -> str | None:
    parts = log.parts
    root = next((no for no, part in enumerate(parts) if part.startswith("storage")), None)
    return None if root is None else "/".join((".local/share/opencode/storage", *parts[root + 1 :]))


def _kimi(log: Path) -> str | None:
    agent = "agent-0" if "agent-0" in log.name else "main"
    return f".kimi-code/sessions/wd/{log.stem}/agents/{agent}/wire.jsonl" if log.suffix == ".jsonl" else None


def _grok(log: Path) -> str:
    folder, _, name = log.name.removeprefix("as-").rpartition("subagent_")
    return f".grok/sessions/wd/{folder}{'child' if 'subagent_' in log.name else 'own'}/{name}"


_ARCHIVED: dict[str, Callable[[Path], str | None]] = {
    "gemini-cli": _beside(".gemini/tmp/archive/chats/session-{name}"),
    "opencode": _opencode,
    "factory-droid": _beside(".factory/sessions/{name}"),
    "openclaw": _beside(".openclaw/agents/archive/sessions/{name}"),
    "pi": _beside(".pi/agent/sessions/--archive--/{name}"),
    "kimi": _kimi,
    "qwen-code": _beside(".qwen/projects/archive/chats/{name}"),
    "grok": _grok,
    "hermes": _beside(".hermes/sessions/session_{name}"),
    "copilot-cli": _beside(".copilot/session-state/{stem}/events.jsonl"),
    "antigravity": _beside(".gemini/antigravity-cli/brain/{stem}/.system_generated/logs/transcript.jsonl"),
}


Lay = Callable[[Path, Story, Path, int], None]


def _into(place: str) -> Lay:
    return lambda log, story, home, number: _copy(log, home / place.format(id=story.native_id, name=log.name, no=number))


def _add_to(place: str) -> Lay:
    """Rows of one database, story by story; a key that the database counts itself is counted anew."""

    def told(log: Path, story: Story, home: Path, number: int) -> None:
        target = home / place
        if not target.exists():
            _copy(log, target)
            return
        with closing(sqlite3.connect(target)) as con:
            con.execute("attach ? as other", (str(log),))
            for table in [name for (name,) in con.execute("select name from other.sqlite_master where type = 'table'")]:
                columns = ", ".join(_own_columns(con, table))
                con.execute(f"insert or ignore into main.{table} ({columns}) select {columns} from other.{table}")
            con.commit()

    return told


def _own_columns(con: sqlite3.Connection, table: str) -> Iterator[str]:
    for _, name, kind, _, _, key in con.execute(f"pragma other.table_info({table})"):
        if not (key and name == "id" and kind.lower() == "integer"):
            yield name


def _some(numbers: range, told: Lay) -> Lay:
    return lambda log, story, home, number: told(log, story, home, number) if number in numbers else None


def _sum(answers: Iterable[Answer]) -> Used:
    counts = [
        (used.uncached, used.cache_read, used.cache_write, used.output, used.reasoning)
        for used in (one.used for one in answers)
    ]
    return Used(*map(sum, zip(*counts, strict=True)))


def _droid(log: Path, story: Story, home: Path, number: int) -> None:
    """With the settings beside it, which alone know what a session cost."""
    _into(".factory/sessions/-srv-looms/{name}")(log, story, home, number)
    used = _sum(answer for turn in story.turns for answer in turn.answers)
    counts = {
        "inputTokens": used.uncached, "cacheReadTokens": used.cache_read, "cacheCreationTokens": used.cache_write,
        "outputTokens": used.output, "thinkingTokens": used.reasoning,
    }  # fmt: skip
    settings = {"model": story.model, "tokenUsage": counts}
    (home / f".factory/sessions/-srv-looms/{story.native_id}.settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _grok_story(log: Path, story: Story, home: Path, number: int) -> None:
    """With the updates beside it, which know what a turn cost."""
    _into(".grok/sessions/-srv-looms/{id}")(log, story, home, number)
    lines = []
    for no, turn in enumerate(story.turns):
        used = _sum(turn.answers)
        counts = {
            "inputTokens": used.uncached + used.cache_read, "cachedReadTokens": used.cache_read, "outputTokens": used.output,
            "reasoningTokens": used.reasoning,
        }  # fmt: skip
        usage = {**counts, "modelUsage": {story.model: {**counts, "modelCalls": len(turn.answers)}}}
        update = {"sessionUpdate": "turn_completed", "prompt_id": f"prompt-{no}", "usage": usage}
        at = int((story.start + no * STEP).timestamp())
        lines.append({"timestamp": at, "method": "session/update", "params": {"update": update}})
    write_lines(home / f".grok/sessions/-srv-looms/{story.native_id}/updates.jsonl", lines)


def _hermes(log: Path, story: Story, home: Path, number: int) -> None:
    """With what the session cost, which its row sums up."""
    used = _sum(answer for turn in story.turns for answer in turn.answers)
    calls = sum(len(turn.answers) for turn in story.turns)
    counts = (calls, used.uncached, used.output, used.cache_read, used.cache_write, used.reasoning)
    columns = ", ".join(f"{name} = ?" for name in ("api_call_count", *COUNTS))
    with closing(sqlite3.connect(log)) as con:
        con.execute(f"update sessions set message_count = {calls}, {columns}", counts)
        con.commit()
    _add_to(".hermes/state.db")(log, story, home, number)


_GEMINI = ".gemini/tmp/loom-{no}/chats/{name}"
_TOLD: dict[str, Lay] = {
    "claude_code claude-code": _into(".claude/projects/-srv-looms/{name}"),
    "codex codex": _into(".codex/sessions/2026/03/02/{name}"),
    "gemini gemini-cli document": _some(range(3), _into(_GEMINI)),
    "gemini gemini-cli operations": _some(range(2, 5), _into(_GEMINI)),
    "opencode opencode-tree": _some(range(3), _into(".local/share/opencode/storage")),
    "opencode opencode-database": _some(range(2, 4), _add_to(".local/share/opencode/opencode.db")),
    "opencode opencode-next-database": _some(range(3, 5), _add_to(".local/share/opencode/opencode-next.db")),
    "amp amp": _into(".local/share/amp/threads/T-{id}.json"),
    "pi openclaw": _some(range(3), _into(".openclaw/agents/main/sessions/{id}.jsonl")),
    "pi openclaw-database": _some(range(2, 5), _add_to(".openclaw/agents/main/agent/openclaw-agent.sqlite")),
    "pi pi version 3": _into(".pi/agent/sessions/--srv-looms--/{name}"),
    "kimi kimi": lambda log, story, home, number: _copy(
        log, home / f".kimi-code/sessions/wd/{story.native_id}/agents/main/wire.jsonl"
    ),
    "qwen qwen-code": _into(".qwen/projects/-srv-looms/chats/{name}"),
    "cline cline": _some(range(3), _into(_CODE + "/saoudrizwan.claude-dev/tasks/{id}")),
    "cline cline-sdk": _some(range(3, 5), _into(".cline/data/sessions/{id}/{name}")),
    "roo roo": _into(_CODE + "/rooveterinaryinc.roo-cline/tasks/{id}"),
    "hermes hermes-database": _hermes,
    "goose goose-database": _add_to(".local/share/goose/sessions/sessions.db"),
    "factory factory-droid-store": _droid,
    "grok grok-folder": _grok_story,
    "copilotcli copilot-cli with usage": _into(".copilot/session-state/{id}/events.jsonl"),
}
