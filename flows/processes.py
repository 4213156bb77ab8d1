"""Worker processes that leave when they should: on Ctrl-C, on a failure, and when their parent is killed."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from typing import Any

from tasks.domain.errors import MidwatchError

Call = Callable[..., Any]
"""Calls a function with arguments, in some process, and waits for its result."""


@contextmanager
def processes(workers: int, function: Callable[..., Any], label: str) -> Iterator[Callable[..., Future[Any]]]:
    """`submit` over that many workers. A worker that dies is a MidwatchError that says what to do."""
    pool = ProcessPoolExecutor(workers, mp_context=_context(function), initializer=_prepare)
    try:
        yield pool.submit
        pool.shutdown()
    except BrokenProcessPool:
        raise MidwatchError(
            f"{label}: a worker process died, killed or out of memory. Nothing half-done was kept. "
            "Run again, or with --workers 1 to do the same in one process"
        ) from None
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


def _context(function: Callable[..., Any]) -> BaseContext:
    """Workers never inherit threads, locks or open files by fork; the modules they need are loaded once for all."""
    if sys.platform == "win32":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", function.__module__])
    return context


def _prepare() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """A worker waits for work forever; without its parent that would be the rest of the machine's days."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
