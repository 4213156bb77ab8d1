"""What a person sees while and after: progress on a terminal, messages on standard error, results on standard output."""

import io
import shutil
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

from tasks.domain.ports import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


def say(message: str) -> None:
    """One message for the person at the terminal; it may quote a log."""
    lines = "\n".join(map(harmless, message.split("\n")))
    sys.stderr.write(f"midwatch: {lines}\n")


def show(text: str) -> None:
    """A result."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def room() -> int | None:
    """Columns of the terminal that results go to; None where they go to a file or another program, which get all of it."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def speak_utf8() -> None:
    """Logs hold every script, whatever the locale says; what even UTF-8 cannot write is written as its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def progress(*, quiet: bool) -> Progress:
    """Bars on a terminal, silence elsewhere."""
    return Silent() if quiet or not sys.stderr.isatty() else Bars()


class Bars:
    """A progress bar on standard error for each piece of long work."""

    def __init__(self) -> None:
        self._shown: RichProgress | None = None
        self._task: TaskID | None = None

    def start(self, label: str, total: int) -> None:
        """Ends the bar before it, if that one was left open."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.finish()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self._shown.start()
        self._task = self._shown.add_task(label, total=total)

    def advance(self, amount: int = 1) -> None:
        """Further by that much."""
        if self._shown and self._task is not None:
            self._shown.advance(self._task, amount)

    def finish(self) -> None:
        """Leaves the terminal as it was."""
        if self._shown:
            self._shown.stop()
        self._shown = self._task = None


def harmless(value: Any) -> str:
    """Text from a log as a terminal may show it: controls, bidi marks and what cannot be seen become visible escapes."""
    return "".join(_visible(character) for character in str(value))


def _visible(character: str) -> str:
    if character.isprintable() or character == " ":
        return character
    if character in "\n\t":
        return " "
    code = ord(character)
    kept = unicodedata.category(character) == "Zs"
    return character if kept else f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
