"""Fits a handoff into its budget. What shrinks first is fixed and written here; what never shrinks is the rest.

1. files only read: dropped     2. requests between the goal and the last one: dropped, the oldest first
3. done steps: their number stays     4. the end of the failing output: to eight lines     5. edited files: to twelve
6. the agent's last words: to 600 characters    7. the last request, then the goal: to 1,500 characters, marked as cut

Constraints, open plan steps, open calls, the next step and the place of the log never shrink. When they alone are larger than
the budget, the document says so.
"""

from collections.abc import Callable, Iterator

from tasks.domain.visible import clip
from tasks.handoffs.model import Handoff, Quote

Count = Callable[[str], int]
Render = Callable[[Handoff], str]
SAID_CHARS, ASKED_CHARS = 600, 1_500
FAILING_LINES, EDITED_FILES = 8, 12


def fit(handoff: Handoff, render: Render, count: Count) -> Handoff:
    """The handoff, shrunk as little as its budget allows, with its tokens counted."""
    tokens = count(render(handoff))
    shrinking = _shrunk(handoff)
    while tokens > handoff.budget:
        smaller = next(shrinking, None)
        if smaller is None:
            handoff = handoff.model_copy(update={"is_over_budget": True})
            break
        handoff = smaller
        tokens = count(render(handoff))
    return handoff.model_copy(update={"tokens": tokens})


def _shrunk(handoff: Handoff) -> Iterator[Handoff]:
    """Ever smaller versions, each step on top of the ones before."""
    handoff = _with_files(handoff, sum(file.was_edited for file in handoff.files))
    yield handoff
    while handoff.requests:
        gone = (len(handoff.requests) + 2) // 3
        left_out = handoff.requests_left_out + gone
        handoff = handoff.model_copy(update={"requests": handoff.requests[gone:], "requests_left_out": left_out})
        yield handoff
    handoff = handoff.model_copy(update={"plan": tuple(step for step in handoff.plan if step.is_open)})
    yield handoff
    if handoff.failure:
        output = "\n".join(handoff.failure.output.split("\n")[-FAILING_LINES:])
        is_cut = handoff.failure.is_cut or output != handoff.failure.output
        failure = handoff.failure.model_copy(update={"output": output, "is_cut": is_cut})
        handoff = handoff.model_copy(update={"failure": failure})
        yield handoff
    handoff = _with_files(handoff, EDITED_FILES)
    yield handoff
    for name, most in (("last_said", SAID_CHARS), ("last_request", ASKED_CHARS), ("goal", ASKED_CHARS)):
        handoff = handoff.model_copy(update={name: _clipped(getattr(handoff, name), most)})
        yield handoff


def _with_files(handoff: Handoff, most: int) -> Handoff:
    gone = max(0, len(handoff.files) - most)
    return handoff.model_copy(update={"files": handoff.files[:most], "files_left_out": handoff.files_left_out + gone})


def _clipped(quote: Quote | None, most: int) -> Quote | None:
    if quote is None or len(quote.text) <= most:
        return quote
    return quote.model_copy(update={"text": clip(quote.text, most, mark=""), "is_cut": True})
