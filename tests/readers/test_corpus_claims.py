"""Which files of the public corpus are whose, and that each log of it says something. Skipped where the corpus is absent."""

import os
from pathlib import Path

import pytest
from readings import head_of, read

from tasks.readers import registry

CORPUS = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared")) / "corpus"
KNOWN = {reader.agent for reader in registry.READERS}
NO_LOGS = {
    "claude-code": {"as-subagent_0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f_subagents_agent-a0ad4f44468bdf20d.meta.json"},
    "codex": {"as-schema_drift.jsonl"},
    "grok": {"as-subagent_summary.json", "as-summary.json"},
    "kimi": {"as-assistant_tools.state.json", "as-state.json"},
    "vibe": {"av-meta.json"},
}
"""Files about sessions that are no logs of their own, and one that only looks like a log."""
READ_ELSEWHERE = {"claude-code", "codex"}
"""Their logs are large, and every one has its numbers checked in tests/test_facts.py."""


@pytest.mark.parametrize("folder", sorted(path.name for path in CORPUS.iterdir() if path.is_dir()) if CORPUS.is_dir() else [])
def test_every_log_is_claimed_by_its_agents_reader_alone_and_says_something(folder: str):
    for path in sorted(path for path in (CORPUS / folder).rglob("*") if path.is_file()):
        head = head_of(path)
        claimants = [reader.agent for reader in registry.READERS if head.form in reader.forms and reader.claims(head)]
        is_log = folder in KNOWN and path.name not in NO_LOGS.get(folder, set())
        assert claimants == ([folder] if is_log else []), path.name
        if is_log and folder not in READ_ELSEWHERE:
            assert read(path, path.as_posix())[1].items, path.name
