"""How the time to read a log grows with its length, for every format that has a writer. Run by hand, asserts nothing.

    python tests/bench/long_logs.py [NAME ...]

A log ten times as long should take about ten times as long: archives hold sessions of many thousand records. Run from the
checkout with `.` and `tests` on PYTHONPATH.
"""

import gc
import sys
import tempfile
from pathlib import Path
from time import process_time

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


def measured(writer: Writer, turns: int) -> tuple[float, int]:
    """(seconds of the reader alone, bytes of the log)"""
    with tempfile.TemporaryDirectory() as folder:
        log = writer.write(story(turns), Path(folder))
        size = sum(path.stat().st_size for path in (log.rglob("*") if log.is_dir() else [log]) if path.is_file())
        head = head_of(log)
        reader = registry.find(head)
        if reader is None:
            raise SystemExit(f"nobody claims what {writer.name} writes")
        records = records_of(log, head.form, reader)
        hint = SourceHint(reader.agent, log.as_posix(), native_id=reader.identify(head, log.as_posix()), form=head.form)
    gc.collect()
    gc.disable()
    start = process_time()
    reader.read(records, hint)
    seconds = process_time() - start
    gc.enable()
    return seconds, size


def main() -> None:
    wanted = sys.argv[1:]
    print(f"{'format':<32} {'short':>8} {'long':>8} {'growth':>7} {'MB/s':>6}   ({SHORT} and {LONG} turns)")
    for writer in WRITERS:
        if not wanted or writer.name in wanted:
            short = min(measured(writer, SHORT)[0] for _ in range(3))
            seconds, size = measured(writer, LONG)
            print(f"{writer.name:<32} {short:8.3f} {seconds:8.3f} {seconds / short:6.1f}x {size / seconds / 1e6:6.1f}")


if __name__ == "__main__":
    main()
