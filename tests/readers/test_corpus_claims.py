"""Which files of the public corpus are whose. Skipped where the corpus is absent."""

import os
from pathlib import Path

import pytest
from readings import lines

from tasks.domain.records import Books, Record
from tasks.readers import registry
from tasks.readers.records import read_records

CORPUS = Path(os.environ.get("MIDWATCH_SHARED", Path(__file__).parents[2].parent / "shared")) / "corpus"
AGENT = "claude-code"


@pytest.mark.parametrize("folder", sorted(path.name for path in CORPUS.iterdir() if path.is_dir()) if CORPUS.is_dir() else [])
def test_every_log_of_claude_code_is_claimed_and_no_other(folder: str):
    for path in sorted((CORPUS / folder).rglob("*.jsonl")):
        with path.open("rb") as stream:
            parts = read_records(stream, Books(), final=True)
            head = [part.data for part, _ in zip((p for p in parts if isinstance(p, Record)), range(8), strict=False)]
        assert registry.by_agent(AGENT).claims(lines(head)) == (folder == AGENT), path.name
