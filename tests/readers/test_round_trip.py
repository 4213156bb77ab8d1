"""A story written in an agent's format is read back as it was: every text, every tool, every token."""

import tempfile
from importlib import import_module
from pathlib import Path

import pytest
from builders import Story, Writer, paid, seen_items, stories, told
from hypothesis import HealthCheck, given, settings
from readings import read

FILES = sorted(path.stem for path in (Path(__file__).parents[1] / "writers").glob("*.py"))
WRITERS = [writer for file in FILES for writer in import_module(f"writers.{file}").WRITERS]


@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
@given(story=stories())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_a_story_is_read_back_as_it_was(writer: Writer, story: Story):
    with tempfile.TemporaryDirectory() as folder:
        log = writer.write(story, Path(folder))
        reader, reading = read(log)
    assert reader.agent == writer.agent
    assert seen_items(reading) == told(story, writer)
    stated = paid(story, writer)
    found = [{name: getattr(request, name) for name in want} for request, want in zip(reading.requests, stated, strict=False)]
    assert found == stated[: len(found)]
    assert len(reading.requests) == len(stated)
    assert {item.session_id for item in reading.items} == {f"{writer.agent}:{writer.named(story)}"}
