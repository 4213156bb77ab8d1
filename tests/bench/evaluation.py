"""How long it takes to evaluate policies, and the table of a lake. Run by hand; it asserts nothing, and writes into the lake.

    PYTHONPATH=.:tests python tests/bench/evaluation.py DATA [--agent claude-code]

Megabytes are those of the logs that the lake was made from. With --workers 1 also the seconds of the processor: on a machine
that does other things they say more than the wall's.
"""

import argparse
import time
from pathlib import Path

from flows import evaluation
from flows.runner import LocalRunner
from tasks import evaluate
from tasks.domain.ports import Silent
from tasks.domain.settings import Settings
from tasks.store import catalog
from tasks.store.layout import Layout

SIZE = "select sum(bytes) from sources where state not in ('copy', 'unclaimed', 'unreadable', 'empty')"


def main(data: Path, agent: str | None, workers: int) -> None:
    settings = Settings(data=data, workers=workers)
    started, used = time.monotonic(), time.process_time()
    done = evaluate.evaluate(settings, LocalRunner(workers), Silent())
    seconds, used = time.monotonic() - started, time.process_time() - used
    with catalog.connect(Layout(data)) as con:
        megabytes = (con.execute(SIZE).fetchone() or (0,))[0] / 1e6
        rows = [row for row in evaluate.stored(con) if agent in (None, row["agent"])]
    if done.sessions:
        told = f"{done.sessions} sessions, {done.rows:,} rows, {megabytes:.0f} MB of logs"
        print(f"{told}: {seconds:.0f} s with {workers} workers, {100 * seconds / megabytes:.0f} s per 100 MB")
        if workers == 1:
            print(f"{used:.0f} s of the processor, {100 * used / megabytes:.0f} s per 100 MB")
    evaluation.show(settings, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--agent")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    main(given.data, given.agent, given.workers)
