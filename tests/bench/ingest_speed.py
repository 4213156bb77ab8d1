"""How fast the nightly work is on an archive. Run by hand, asserts nothing.

    python tests/bench/ingest_speed.py ARCHIVE [--repeat 3]

Prints `midwatch --help`, a full ingest in one process, and a run with nothing new: wall clock, CPU and peak memory of the
process and its children, and megabytes of raw log per CPU second and per second of wall clock.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MIDWATCH = [sys.executable, "-m", "flows"]


@dataclass(frozen=True)
class Measure:
    """What one process cost, its children included."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    """The largest single process of the family."""
    answer: str
    """Standard output."""


def measure(arguments: list[str]) -> Measure:
    """Run one midwatch command and ask the kernel what it cost."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen([*MIDWATCH, *arguments], cwd=ROOT, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode not in (0, 3):
            sys.exit(f"`midwatch {' '.join(arguments)}` ended with {child.returncode}:\n{err.read().decode()[-2000:]}")
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return Measure(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit, out.read().decode())


def best(repeat: int, once: Callable[[], Measure]) -> Measure:
    """The run that was least disturbed by the rest of the machine."""
    return min((once() for _ in range(repeat)), key=lambda m: m.cpu_seconds)


def line(what: str, m: Measure, megabytes: float = 0.0) -> str:
    speed = f"   {megabytes / m.cpu_seconds:6.1f} MB per CPU s   {megabytes / m.seconds:6.1f} MB/s" if megabytes else ""
    return f"{what:<28}{m.seconds:8.2f} s wall {m.cpu_seconds:8.2f} s CPU {m.peak_mb:8.0f} MB peak{speed}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="midwatch-speed-"))
    data = work / "data"
    ingest = ["ingest", "--archive", str(options.archive), "--data", str(data), "--workers", "1", "--json"]

    def from_nothing() -> Measure:
        shutil.rmtree(data, ignore_errors=True)
        return measure(ingest)

    try:
        print(line("midwatch --help", best(options.repeat, lambda: measure(["--help"]))))
        full = best(options.repeat, from_nothing)
        report = json.loads(full.answer)
        print(line("ingest, everything new", full, report["bytes_seen"] / 1e6))
        print(line("ingest, nothing new", best(options.repeat, lambda: measure(ingest))))
        print(f"{report['bytes_seen'] / 1e6:.1f} MB of log, {report['items']:,} items, {report['requests']:,} requests")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
