"""Which reader takes a log: one row per agent."""

from tasks.domain.errors import UsageError
from tasks.domain.records import Head
from tasks.readers.aider import Aider
from tasks.readers.amp import Amp
from tasks.readers.antigravity import Antigravity
from tasks.readers.atif import Atif
from tasks.readers.claude_code import ClaudeCode
from tasks.readers.cline import Cline
from tasks.readers.codecoder import CodeCoder
from tasks.readers.codex import Codex
from tasks.readers.codex_traex import TraeX
from tasks.readers.copilotcli import CopilotCli
from tasks.readers.cursor import Cursor
from tasks.readers.factory import FactoryDroid
from tasks.readers.gemini import GeminiCli
from tasks.readers.goose import Goose
from tasks.readers.gptme import Gptme
from tasks.readers.grok import Grok
from tasks.readers.hermes import Hermes
from tasks.readers.iflow import IFlow
from tasks.readers.kimi import Kimi
from tasks.readers.miniswe import MiniSweAgent
from tasks.readers.opencode import OpenCode
from tasks.readers.openhands import OpenHands
from tasks.readers.pi import OpenClaw, Pi
from tasks.readers.protocol import Reader
from tasks.readers.qwen import QwenCode
from tasks.readers.roo import Roo
from tasks.readers.sweagent import SweAgent
from tasks.readers.vibe import Vibe
from tasks.readers.vscopilot import VsCopilot
from tasks.readers.yoi import Yoi

READERS: tuple[Reader, ...] = (
    Aider(),
    Amp(),
    Antigravity(),
    Atif(),
    ClaudeCode(),
    Cline(),
    CodeCoder(),
    Codex(),
    CopilotCli(),
    Cursor(),
    FactoryDroid(),
    GeminiCli(),
    Goose(),
    Gptme(),
    Grok(),
    Hermes(),
    IFlow(),
    Kimi(),
    MiniSweAgent(),
    OpenClaw(),
    OpenCode(),
    OpenHands(),
    Pi(),
    QwenCode(),
    Roo(),
    SweAgent(),
    TraeX(),
    Vibe(),
    VsCopilot(),
    Yoi(),
)


def find(head: Head) -> Reader | None:
    """The reader that claims a log with this head; None if nobody does."""
    return next((reader for reader in READERS if head.form in reader.forms and reader.claims(head)), None)


def by_agent(name: str) -> Reader:
    """The reader of one agent, by the name in `sources.agent`."""
    for reader in READERS:
        if reader.agent == name:
            return reader
    raise UsageError(f"no reader for agent {name!r}; known: {', '.join(r.agent for r in READERS)}")
