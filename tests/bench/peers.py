"""Our token totals beside those of two other counters, on one home folder made of an archive. Run by hand, asserts nothing.

    python tests/bench/peers.py ARCHIVE [--agents] [--only 'entire-*'] [--copies] [--no-progress]

The home folder holds the archive's Claude Code and Codex logs where these agents keep them. `--copies` adds what real homes
hold too: for each Claude Code log two shorter states of it, a resumed session and a fork under new session ids; for each Codex
log a fork with the parent's history stamped anew. A correct total does not move. `--agents` adds the logs of all other agents,
of samples and of stories (`peers_homes.py`), and a second table: agent by agent our totals, tokscale's, and whether they are
equal. Where they are not, `tests/readers/test_differs_from_others.py` has the rule and the lines that prove it.

Known differences with Claude Code and Codex, all seen on the corpus:
- tokscale does not read sub-agent turns inside `progress` records; the column `inline` counts them apart, with code of its own.
- tokscale counts answers that Claude Code made up itself as calls (of no tokens), and two calls whose ids are blanked as one.
- ccusage leaves out hand-made records of the model claude-3-sonnet-20240229, and finds only Codex records that are written
  without spaces between their parts; so Codex logs are written here without them.
- `ccusage session` leaves out turns inside `progress` records that `ccusage daily` counts; `daily` is asked.
- Both count a last line without its newline; midwatch leaves it for the next night while the log is fresh, so no grace here.
- output_tokens of ccusage and midwatch hold the reasoning; tokscale shows it apart, and it is added here.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import peers_homes  # noqa: E402  (reads the writers of the tests)

PACKAGES = ("ccusage@20.0.24", "@tokscale/cli-linux-x64-gnu@4.17.0")  # the second is the binary that `@tokscale/cli` wraps
BUCKETS = ("input_uncached", "cache_read", "cache_write", "output")
NAMES = {
    "claude": "claude-code", "gemini": "gemini-cli", "droid": "factory-droid", "qwen": "qwen-code", "roocode": "roo",
    "copilot": "copilot-cli", "antigravity-cli": "antigravity",
}  # fmt: skip
"""What tokscale calls agents that have another name here."""
FORK_AT = "2026-06-01T00:00:00.000Z"

Totals = dict[str, Counter[str]]


def objects(line: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of one line; a line may hold several, or a torn one."""
    text, start, decoder = line.decode("utf-8", "replace").strip(), 0, json.JSONDecoder()
    while start < len(text):
        try:
            value, start = decoder.raw_decode(text, start)
        except ValueError:
            return
        start += len(text[start:]) - len(text[start:].lstrip())
        if isinstance(value, dict):
            yield value


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def compact(line: bytes) -> bytes:
    """The same record without white space between its parts."""
    records = [json.dumps(o, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace") for o in objects(line)]
    return b"".join(r + b"\n" for r in records) or line


def agent_of(lines: list[bytes]) -> str | None:
    """Whose log it is by its shape; relatives of the two (iflow, traex) look the same, so point at a folder without them."""
    for record in (o for line in lines[:20] for o in objects(line)):
        message = record.get("message")
        if isinstance(record.get("payload"), dict) and "timestamp" in record:
            return "codex"
        if record.get("type") in ("user", "assistant") and isinstance(message, dict) and "parts" not in message:
            return "claude-code"
    return None


def codex_name(lines: list[bytes], stem: str) -> str:
    """Where Codex keeps the rollout: a folder for each day, the time of its first record in the name."""
    at = next((str(o["timestamp"])[:19] for line in lines for o in objects(line) if o.get("timestamp")), "2025-01-01T00:00:00")
    name = f"rollout-{at.replace(':', '-')}-{uuid.uuid5(uuid.NAMESPACE_URL, stem)}.jsonl"
    return f".codex/sessions/{at[:10].replace('-', '/')}/{name}"


def write(path: Path, lines: Iterable[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))


def renamed(lines: list[bytes], session: str) -> list[bytes]:
    """The records of a Claude Code log as a resumed or forked session repeats them: all ids kept, the session's own apart."""
    old = {o["sessionId"] for line in lines for o in objects(line) if isinstance(o.get("sessionId"), str)}
    for name in old:
        lines = [line.replace(f'"sessionId":"{name}"'.encode(), f'"sessionId":"{session}"'.encode()) for line in lines]
    return lines


def claude_copies(lines: list[bytes], stem: str) -> dict[str, list[bytes]]:
    resumed, forked = (str(uuid.uuid5(uuid.NAMESPACE_URL, f"{stem} {kind}")) for kind in ("resumed", "forked"))
    return {
        f"{stem}.early": lines[: len(lines) // 3],
        f"{stem}.later": lines[: 2 * len(lines) // 3],
        resumed: renamed(lines[: len(lines) // 2], resumed),
        forked: renamed(lines, forked),
    }


def codex_fork(lines: list[bytes], stem: str) -> list[bytes] | None:
    """A fork that replays its parent and adds nothing; None for a log without a session_meta."""
    records = [o for line in lines for o in objects(line)]
    if not records or records[0].get("type") != "session_meta":
        return None
    own = {**records[0]["payload"], "id": str(uuid.uuid5(uuid.NAMESPACE_URL, stem)), "timestamp": FORK_AT}
    own["forked_from_id"] = records[0]["payload"].get("id")
    replay = [{"timestamp": FORK_AT, "type": "session_meta", "payload": own}, *({**r, "timestamp": FORK_AT} for r in records)]
    return [json.dumps(r, separators=(",", ":")).encode() + b"\n" for r in replay]


def furnish(archive: Path, home: Path, options: argparse.Namespace) -> list[Path]:
    """Lay the archive's logs where the agents keep them; returns the Claude Code ones as laid, copies apart. TraeX, a clone of
    Codex, keeps its own elsewhere, and tokscale would not know them from Codex's."""
    claude = []
    for path in sorted(p for p in archive.rglob("*.jsonl") if fnmatch(p.name, options.only) and "traex" not in p.parts):
        lines, stem = lines_of(path), str(path.relative_to(archive))
        match agent_of(lines):
            case "claude-code":
                if options.no_progress:
                    lines = [line for line in lines if not all(o.get("type") == "progress" for o in objects(line))]
                copies = claude_copies(lines, path.stem) if options.copies else {}
                folder = home / ".claude/projects/-archive"
                for name, content in {path.stem: lines, **copies}.items():
                    write(folder / f"{name}.jsonl", content)
                claude.append(folder / f"{path.stem}.jsonl")
            case "codex":
                lines = [compact(line) for line in lines]
                write(home / codex_name(lines, stem), lines)
                fork = codex_fork(lines, f"{stem} fork") if options.copies else None
                if fork:
                    write(home / codex_name(fork, f"{stem} fork"), fork)
    return claude


def run(command: list[str], home: Path, cwd: Path = ROOT) -> Any:
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "DO_NOT_TRACK": "1", "MIDWATCH_FINAL_GRACE_HOURS": "0"}
    done = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def install(tools: Path) -> Path:
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(tools), *PACKAGES], check=True)
    return tools / "node_modules"


def bucketed(values: Iterable[int | None]) -> Counter[str]:
    return Counter(dict(zip(BUCKETS, (v or 0 for v in values), strict=True)))


def by_ccusage(modules: Path, home: Path) -> Totals:
    keys = ("inputTokens", "cacheReadTokens", "cacheCreationTokens", "outputTokens")
    found = {}
    for agent, command in (("claude-code", "claude"), ("codex", "codex")):
        totals = run([str(modules / ".bin/ccusage"), command, "daily", "--offline", "--json"], home)["totals"] or {}
        found[agent] = bucketed(totals.get(key) for key in keys)
    return found


def by_tokscale(modules: Path, home: Path) -> Totals:
    binary = modules / "@tokscale/cli-linux-x64-gnu/bin/tokscale"
    answer = run([str(binary), "models", "--json", "--no-spinner", "--home", str(home)], home)
    found: Totals = {"claude-code": Counter(), "codex": Counter()}
    for entry in answer["entries"]:
        values = (entry["input"], entry["cacheRead"], entry["cacheWrite"], entry["output"] + entry["reasoning"])
        agent = NAMES.get(entry["client"], entry["client"])
        found[agent] = found.get(agent, Counter()) + bucketed(values) + Counter(calls=entry["messageCount"])
    return found


def by_midwatch(home: Path, data: Path) -> Totals:
    midwatch = [sys.executable, "-m", "flows"]
    run([*midwatch, "ingest", "--archive", str(home), "--data", str(data), "--json"], home)
    sums = ", ".join(f"sum({b}_tokens)::bigint as {b}" for b in BUCKETS)
    question = f"select split_part(session_id, ':', 1) as agent, count(*) as calls, {sums} from requests group by 1"
    rows = run([*midwatch, "query", question, "--data", str(data), "--format", "json"], home)
    return {row["agent"]: bucketed(row[b] for b in BUCKETS) + Counter(calls=row["calls"]) for row in rows}


def inline(logs: list[Path]) -> Counter[str]:
    """Calls that only stand inside `progress` records, each once at its largest: what tokscale does not read."""
    largest: dict[tuple[str, str], tuple[int, ...]] = {}
    elsewhere = set()
    for record in (o for path in logs for line in lines_of(path) for o in objects(line)):
        nested = record.get("type") == "progress"
        call = (record.get("data") or {}).get("message") if nested else record
        message = call.get("message") if isinstance(call, dict) else None
        if not isinstance(message, dict) or not isinstance(message.get("usage"), dict):
            continue
        key, usage = (message.get("id"), call.get("requestId")), message["usage"]
        if not nested:
            elsewhere.add(key)
            continue
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
        values = tuple(usage.get(n) or 0 for n in names)
        largest[key] = tuple(map(max, values, largest.get(key, values)))
    found = [bucketed(values) + Counter(calls=1) for key, values in largest.items() if key not in elsewhere and any(values)]
    return sum(found, Counter())


def show(columns: dict[str, Totals]) -> None:
    print(f"{'':27}" + "".join(f"{name:>19}" for name in columns))
    for agent in ("claude-code", "codex"):
        for bucket in BUCKETS:
            cells = [totals.get(agent, Counter())[bucket] for totals in columns.values()]
            print(f"{agent + ' ' + bucket:<27}" + "".join(f"{cell:>19,}" for cell in cells))


def compare(ours: Totals, theirs: Totals) -> None:
    """Agent by agent. tokscale counts sessions as calls where it knows sums alone, and messages where a log tells how many."""
    print(f"\n{'':27}{'midwatch':>19}{'tokscale':>19}")
    for agent in sorted(ours.keys() & {*theirs, *peers_homes.AGENTS}):
        for bucket in ("calls", *BUCKETS):
            one, other = (totals.get(agent, Counter())[bucket] for totals in (ours, theirs))
            verdict = "equal" if one == other else f"differs by {one - other:+,}"
            print(f"{agent + ' ' + bucket:<27}{one:>19,}{other:>19,}  {verdict}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument(
        "--agents", action="store_true", help="add the logs of all other agents, and compare each with tokscale"
    )
    parser.add_argument("--only", default="*", help="file names to take, as a shell pattern")
    parser.add_argument("--copies", action="store_true", help="add growing copies, resumed sessions and forks of each log")
    parser.add_argument("--no-progress", action="store_true", help="leave out the records that only ccusage looks into")
    parser.add_argument("--tools", type=Path, help="folder that keeps the two counters between runs")
    parser.add_argument("--peers-only", action="store_true", help="leave midwatch out")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="midwatch-peers-"))
    try:
        home = work / "home"
        claude = furnish(options.archive, home, options)
        if options.agents:
            peers_homes.lay(options.archive, home)
        modules = install(options.tools or work / "tools")
        ccusage, tokscale = by_ccusage(modules, home), by_tokscale(modules, home)
        columns = {} if options.peers_only else {"midwatch": by_midwatch(home, work / "data")}
        nested: Totals = {"claude-code": inline(claude)}
        both = {agent: tokscale[agent] + nested.get(agent, Counter()) for agent in tokscale}
        show({**columns, "ccusage": ccusage, "tokscale": tokscale, "inline": nested, "tokscale + inline": both})
        if options.agents and not options.peers_only:
            compare(columns["midwatch"], both)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
