"""What all commands share: the options, the settings they make, and what an error says and exits with."""

import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.console import say
from tasks.domain.errors import MidwatchError

if TYPE_CHECKING:
    from tasks.domain.settings import Settings

INTERRUPTED = 130

Command = Callable[..., int | None]

SHARED: dict[str, tuple[Any, Any]] = {
    "archive": (
        Annotated[list[Path] | None, typer.Option("--archive", metavar="DIR", help="Folder of logs to read; may be repeated.")],
        None,
    ),
    "data": (Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Where midwatch keeps what it writes.")], None),
    "json_output": (Annotated[bool, typer.Option("--json", help="Machine output on stdout, progress on stderr.")], False),
    "quiet": (Annotated[bool, typer.Option("--quiet", help="No progress, no summary.")], False),
    "workers": (Annotated[int | None, typer.Option("--workers", metavar="N", help="Processes that read logs.")], None),
    "config": (Annotated[Path | None, typer.Option("--config", metavar="FILE", help="Settings; else ./midwatch.toml.")], None),
}
"""Name of the setting -> option and default."""


def command(app: typer.Typer, name: str | None = None) -> Callable[[Command], Command]:
    """Registers `function(settings, **own options)` as a command that also takes the shared options.

    The function returns its exit code; None is 0.
    """

    def register(function: Command) -> Command:
        own = [p for p in inspect.signature(function).parameters.values() if p.name != "settings"]
        shared = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, (annotation, default) in SHARED.items()
        ]
        parameters = [*(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own), *shared]

        def run(**given: Any) -> None:
            raise typer.Exit(outcome(function, given))

        run.__doc__ = function.__doc__
        run.__name__ = function.__name__
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        app.command(name)(run)
        return function

    return register


def outcome(function: Command, given: dict[str, Any]) -> int:
    """Runs a command to its exit code. Expected errors are one message; any other keeps its traceback, being a defect."""
    try:
        return function(_settings(given), **given) or 0
    except MidwatchError as error:
        say(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted; what was committed stays, nothing is half-written")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has seen enough. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _settings(given: dict[str, Any]) -> "Settings":
    """Takes the shared options out of what was given. A flag that was not set leaves the word to environment and file."""
    from tasks.domain.settings import read_settings

    shared = {name: given.pop(name) for name in SHARED}
    return read_settings(**{name: value for name, value in shared.items() if value is not False and value != []})
