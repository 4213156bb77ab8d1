"""What a policy asks of whoever writes its summaries, a model or rules. A failure is an exception, not the session's end."""

from collections.abc import Callable
from dataclasses import dataclass

from tasks.domain.item import Item

MAX_TOKENS = 2_048
TEMPERATURE = 0.0
FAILURES = 3
"""In a row, after which a circuit no longer asks."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. It carries no tools: a summarizer reads and writes."""

    items: tuple[Item, ...]
    """The originals; for a summarizer that needs no model."""
    prompt: str
    count: Callable[[str], int]
    """Tokens of a text."""
    system: str = ""
    max_tokens: int = MAX_TOKENS
    temperature: float = TEMPERATURE
    tools: tuple[str, ...] = ()


Summarizer = Callable[[Ask], str]
"""The text of the summary; any exception says that there is none."""


class SummaryError(Exception):
    """There is no summary, and why."""


def ask(summarize: Summarizer, request: Ask) -> str:
    """The summary. SummaryError when it failed, whatever it failed by, or said nothing."""
    try:
        text = summarize(request)
    except SummaryError:
        raise
    except Exception as error:
        raise SummaryError(f"{type(error).__name__}: {error}".removesuffix(": ")) from error
    if not text.strip():
        raise SummaryError("the summary is empty")
    return text.strip()


class Circuit:
    """Asks another summarizer until it failed three times in a row, then no more: a night does not wait for a model that is
    down. One success closes it again."""

    def __init__(self, summarize: Summarizer, *, most: int = FAILURES) -> None:
        self._summarize, self._most = summarize, most
        self.failures = 0
        """In a row."""

    def __call__(self, request: Ask) -> str:
        if self.failures >= self._most:
            raise SummaryError(f"not asked: it failed {self.failures} times in a row")
        try:
            text = ask(self._summarize, request)
        except SummaryError:
            self.failures += 1
            raise
        self.failures = 0
        return text
