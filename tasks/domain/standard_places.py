"""Where the known agents keep their logs on this machine."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Home:
    """The folder of one agent, and what in it is logs."""

    agent: str
    folder: str
    """Below the base."""
    logs: tuple[str, ...]
    """Patterns inside the folder."""
    variable: str = ""
    """Environment variable that names another folder; `CLAUDE_CONFIG_DIR` several, with commas, beside the usual one."""
    base: str = "home"
    """`home`; `share`: XDG_DATA_HOME or ~/.local/share on every platform; `editors`: the settings of each editor."""


EDITORS = ("Code", "Code - Insiders", "Cursor", "Windsurf", "VSCodium", "Trae")
"""Editors that keep their extensions' data alike."""
_EXTENSION = "User/globalStorage/{}/tasks"

HOMES = (
    Home("claude-code", ".claude", ("projects",), "CLAUDE_CONFIG_DIR"),
    Home("claude-code", ".config/claude", ("projects",)),
    Home("codex", ".codex", ("sessions", "archived_sessions"), "CODEX_HOME"),
    Home("amp", "amp", ("threads",), "AMP_DATA_DIR", "share"),
    Home("antigravity", ".gemini", ("antigravity/brain", "antigravity-cli/brain")),
    Home("cline", "", (_EXTENSION.format("saoudrizwan.claude-dev"),), base="editors"),
    Home("cline", ".cline/data", ("sessions", "tasks"), "CLINE_DATA_DIR"),
    Home("copilot-cli", ".copilot", ("session-state",), "COPILOT_HOME"),
    Home("cursor", ".cursor", ("projects/*/agent-transcripts",)),
    Home("factory-droid", ".factory", ("sessions",)),
    Home("gemini-cli", ".gemini", ("tmp/*/chats",)),
    Home("goose", "goose", ("sessions", "data/sessions"), "GOOSE_PATH_ROOT", "share"),
    Home("gptme", "gptme/logs", ("",), "GPTME_LOGS_HOME", "share"),
    Home("grok", ".grok", ("sessions",), "GROK_HOME"),
    Home("hermes", ".hermes", ("sessions", "state.db*", "profiles/*/state.db*"), "HERMES_HOME"),
    Home("iflow", ".iflow", ("projects",)),
    Home("kimi", ".kimi-code", ("sessions",), "KIMI_CODE_HOME"),
    # Beside the databases lie credentials, and Codex' own home.
    Home("openclaw", ".openclaw", ("agents/*/sessions", "agents/*/agent/openclaw-agent.sqlite*"), "OPENCLAW_STATE_DIR"),
    # Beside its logs OpenCode keeps credentials and snapshots of whole repositories.
    Home("opencode", "opencode", ("opencode*.db", "opencode*.db-wal", "storage"), "OPENCODE_DATA_DIR", "share"),
    Home("openhands", ".openhands", ("conversations", "sessions")),
    Home("pi", ".pi/agent", ("sessions",), "PI_CODING_AGENT_DIR"),
    Home("qwen-code", ".qwen", ("projects",)),
    Home("roo", "", (_EXTENSION.format("rooveterinaryinc.roo-cline"),), base="editors"),
    Home("traex", ".trae/cli", ("sessions",), "TRAECLI_HOME"),
    Home("vibe", ".vibe", ("logs/session",), "VIBE_HOME"),
)


def standard_places() -> tuple[Path, ...]:
    """The folders, and databases, of this machine where the known agents keep their logs; only what exists."""
    return tuple(dict.fromkeys(place for home in HOMES for folder in _folders(home) for place in _logs(home, folder)))


def _folders(home: Home) -> Iterator[Path]:
    moved = os.environ.get(home.variable, "") if home.variable else ""
    yield from (Path(part.strip()).expanduser().absolute() for part in moved.split(",") if part.strip())
    if not moved or home.agent == "claude-code":
        yield from (base / home.folder for base in _bases(home.base))


def _bases(base: str) -> list[Path]:
    home = Path.home()
    if base == "share":
        return [Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share").absolute()]
    if base == "editors":
        below = {"darwin": home / "Library" / "Application Support", "win32": Path(os.environ.get("APPDATA") or home)}
        settings = below.get(sys.platform) or Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        return [settings / editor for editor in EDITORS]
    return [home]


def _logs(home: Home, folder: Path) -> Iterator[Path]:
    for pattern in home.logs:
        found = sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern]
        yield from (path for path in found if path.exists())
