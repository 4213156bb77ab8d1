"""A log ten times as long takes about ten times as long to read: archives hold sessions of many thousand records."""

import gc
from pathlib import Path
from time import process_time

import pytest
from builders import Answer, Story, Tool, Turn, Used, Writer
from readers.test_round_trip import WRITERS
from readings import head_of, records_of

from tasks.domain.records import SourceHint
from tasks.readers import registry

SHORT, LONG = 300, 3000


def story(turns: int) -> Story:
    """Each turn with a tool, so that calls, results and answers all grow."""
    tool = Tool("read_file", {"file_path": "looms/shed.md"}, "warp and weft\n" * 20)
    answers = (Answer("Looking.", Used(100, 50, 0, 30, 10), "Which shed?", (tool,)), Answer("Done.", Used(120, 50, 0, 20)))
    return Story("0c4d9a52-6b1e-4a40-8a58-0d6a3f3b7c11", tuple(Turn(f"Sand lid {no}.", answers) for no in range(turns)))


def seconds(writer: Writer, turns: int, folder: Path) -> float:
    folder.mkdir()
    log = writer.write(story(turns), folder)
    head = head_of(log)
    reader = registry.find(head)
    assert reader is not None
    native_id = reader.identify(head, log.as_posix())
    records = records_of(log, head.form, reader)
    gc.collect()
    gc.disable()
    try:
        start = process_time()
        reader.read(records, SourceHint(reader.agent, log.as_posix(), native_id=native_id, form=head.form))
        return process_time() - start
    finally:
        gc.enable()


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
def test_reading_takes_as_long_as_the_log_is(writer: Writer, tmp_path: Path):
    short = min(seconds(writer, SHORT, tmp_path / f"short-{no}") for no in range(3))
    assert seconds(writer, LONG, tmp_path / "long") < 3 * short * LONG / SHORT
