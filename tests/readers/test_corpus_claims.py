"""Whose every file of the public corpus is, told as a night tells it, and that each log says something. Skipped without it."""

import os
from pathlib import Path

import pytest
from readings import head_of, read

from tasks.gather import gather
from tasks.identify import identify
from tasks.readers import registry
from tasks.store.layout import Layout
from tasks.store.walk import Found

CORPUS = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared")) / "corpus"
NO_LOGS = {
    "claude-code/as-subagent_0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f_subagents_agent-a0ad4f44468bdf20d.meta.json": "what a sub-agent is",  # noqa: E501
    "codex/as-schema_drift.jsonl": "a shape that no version of Codex writes",
    "grok/as-subagent_summary.json": "a summary, not beside its log",
    "grok/as-summary.json": "a summary, not beside its log",
    "kimi/as-assistant_tools.state.json": "the state of a session",
    "kimi/as-state.json": "the state of a session",
    "opencode/agentsessions/storage_v2/migration": "a number",
    "vibe/av-meta.json": "facts of a session, not beside its log",
}
READ_ELSEWHERE = {"claude-code", "codex"}
"""Their logs are large, and every one has its numbers checked in tests/test_facts.py."""
FOLDERS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir()) if CORPUS.is_dir() else []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_log_is_claimed_by_its_agents_reader_alone_and_says_something(folder: str, tmp_path: Path):
    told = {}
    for entry in gather([CORPUS / folder], Layout(tmp_path), {}):
        assert isinstance(entry, Found)
        for sighting in identify(entry, 0, tmp_path):
            name = Path(sighting.path).relative_to(CORPUS).as_posix()
            told[name] = sighting.agent
            if sighting.agent and folder not in READ_ELSEWHERE:
                assert read(Path(sighting.path), sighting.path)[1].items, name
    assert {name for name, agent in told.items() if not agent} == {name for name in NO_LOGS if name.split("/")[0] == folder}
    assert set(told.values()) - {""} == {folder}


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_reader_claims_a_log_of_another_agent(folder: str):
    for path in sorted(path for path in (CORPUS / folder).rglob("*") if path.is_file()):
        head = head_of(path)
        claimants = {reader.agent for reader in registry.READERS if head.form in reader.forms and reader.claims(head)}
        assert claimants <= {folder}, path.name
