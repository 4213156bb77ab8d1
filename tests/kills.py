"""Ends work at the n-th step that it announces, as `kill -9` would: in a forked child, whose end is told apart."""

import os
import signal
from collections.abc import Callable

from tasks.store import durable


def killed_at(at: int, work: Callable[[], object]) -> bool:
    """Whether a forked child doing the work met its end at its n-th step."""
    child = os.fork()
    if child == 0:
        reached = 0

        def count(name: str) -> None:
            nonlocal reached
            reached += 1
            if reached == at:
                os.kill(os.getpid(), signal.SIGKILL)

        durable.on_step = count
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    assert os.WEXITSTATUS(status) == 0
    return False
