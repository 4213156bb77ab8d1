"""Both runners give results in the order of the arguments; a dead worker is a message, not a hang."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.runner import LocalRunner
from tasks.domain.errors import DamageError, MidwatchError


def slow_square(number: int) -> int:
    """Later arguments are done first."""
    time.sleep((4 - number) / 50)
    return number * number


def process_id(_: int) -> int:
    time.sleep(0.1)
    return os.getpid()


def die(_: int) -> None:
    os._exit(9)


def fail(path: str) -> None:
    """Leaves a line for every try."""
    with Path(path).open("a") as file:
        file.write("tried\n")
    raise OSError("a disk that hums")


def refuse(path: str) -> None:
    with Path(path).open("a") as file:
        file.write("tried\n")
    raise DamageError("a part is not what the manifest says")


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_arguments(workers: int) -> None:
    assert LocalRunner(workers).map(slow_square, [0, 1, 2, 3, 4], label="square") == [0, 1, 4, 9, 16]


def test_no_arguments_are_no_work() -> None:
    assert LocalRunner(2).map(slow_square, [], label="square") == []


def test_one_worker_is_this_process() -> None:
    assert set(LocalRunner(1).map(process_id, [1, 2, 3], label="ask")) == {os.getpid()}


def test_several_workers_are_other_processes() -> None:
    assert os.getpid() not in LocalRunner(2).map(process_id, [1, 2, 3], label="ask")


def test_a_worker_that_dies_says_which_step_and_what_to_do() -> None:
    with pytest.raises(MidwatchError, match=r"read: a worker process died.*--workers 1"):
        LocalRunner(2).map(die, [1, 2], label="read")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("function", "error", "tries"), [(fail, OSError, 3), (refuse, DamageError, 1)])
def test_a_policy_tries_again_what_another_try_may_mend(
    tmp_path: Path, workers: int, function: Callable[[str], None], error: type[Exception], tries: int
) -> None:
    marks = [tmp_path / "one", tmp_path / "two"]
    with pytest.raises(error):
        LocalRunner(workers).map(function, [str(mark) for mark in marks], label="read", policy={"retries": 2})
    assert len(marks[0].read_text().splitlines()) == tries


PARENT = """
import sys, time
from flows.runner import LocalRunner

def wait(path):
    import os, pathlib
    pathlib.Path(path).write_text(str(os.getpid()))
    time.sleep(60)

if __name__ == "__main__":
    LocalRunner(2).map(wait, sys.argv[1:], label="wait")
"""


def test_workers_leave_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "parent.py").write_text(PARENT)
    marks = [tmp_path / "one", tmp_path / "two"]
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "parent.py"), *map(str, marks)], env={**os.environ, "PYTHONPATH": str(root)}
    )
    _until(lambda: all(mark.exists() and mark.read_text() for mark in marks))
    parent.kill()
    parent.wait()
    workers = [int(mark.read_text()) for mark in marks]
    _until(lambda: not any(_is_running(worker) for worker in workers))


def _until(holds: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_running(process: int) -> bool:
    """A zombie has left; nobody has asked for its code."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
