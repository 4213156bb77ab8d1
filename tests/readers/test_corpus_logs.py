"""Every log of the public corpus is read by its agent's reader alone, and says something. Skipped without the corpus."""

import os
from pathlib import Path

import pytest
from readings import head_of, read

from tasks.readers import registry

CORPUS = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared")) / "corpus"
LOGS = {"cursor": "*.jsonl", "hermes": "*.json", "opencode": "agentsessions/storage_*"}
FOUND = [log for agent, pattern in LOGS.items() for log in sorted((CORPUS / agent).glob(pattern))]


@pytest.mark.parametrize("log", FOUND, ids=lambda log: log.relative_to(CORPUS).as_posix())
def test_a_log_is_read_by_its_reader_alone_and_says_something(log: Path):
    reader, reading = read(log)
    assert reader.agent == log.relative_to(CORPUS).parts[0]
    assert reading.items
    assert {session.session_id.split(":")[0] for session in reading.sessions} == {reader.agent}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("agent", ["amp", *LOGS, "goose"])
def test_a_reader_claims_no_log_of_another_agent(agent: str):
    reader = registry.by_agent(agent)
    for path in sorted(CORPUS.rglob("*.json*")):
        if path.relative_to(CORPUS).parts[0] != agent:
            head = head_of(path)
            assert head.form not in reader.forms or not reader.claims(head), path
