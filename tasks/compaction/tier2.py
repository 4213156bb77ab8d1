"""`tier2`: where the first tier was not enough, the oldest turns become a structured summary, and later ones are merged in."""

from dataclasses import dataclass

from tasks.compaction import degrade
from tasks.compaction.config import target
from tasks.compaction.conversation import formatted
from tasks.compaction.cut import open_calls, turn_starts
from tasks.compaction.extract import extract
from tasks.compaction.options import whole
from tasks.compaction.plan import Budget, Change, CompactionPlan, Context, Disposition, Insert
from tasks.compaction.policy import Policy
from tasks.compaction.summarizer import MAX_TOKENS, Ask, Summarizer, SummaryError, ask
from tasks.compaction.summary import HEADING, Summary, merge, parse, render
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind

TRIGGER = 80_000
PROMPT = (
    "Please summarize the following conversation segment into a structured format.\n"
    "Fields: Goal, Constraints, Progress, Key Decisions, Next Steps.\n\n"
    "Conversation content:\n{}"
)


def by_rule(request: Ask) -> str:
    """The template, filled by rule."""
    said = extract(request.items)
    return render(
        Summary(
            goal=said.last_request, constraints=said.constraints, progress=said.done, key_decisions=said.decisions,
            next_steps=said.open_steps, read=said.read, modified=said.modified,
        )
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Span:
    """The oldest stretch that may be summarized, as positions."""

    first: int
    end: int
    kept: frozenset[int]
    """What in it stays: what is pinned, and calls whose result stands behind it."""
    previous: int | None
    """The summary that it begins with."""

    def positions(self) -> list[int]:
        return [at for at in range(self.first, self.end) if at not in self.kept]


class Tier2(Policy):
    """CodeCoder's second tier: the first, and where more than `trigger_tokens` (80,000) are left, a summary of the oldest
    whole turns until `target_tokens` (60 % of it) are. The system's words, the first request and other programs' summaries
    stay; a summary of its own is merged by rule, and no summarizer reads one. Where there is no summary, the first tier stands:
    that is no failure."""

    name = "tier2"
    claim = "70 to 80 %"

    def __init__(self, summarize: Summarizer = by_rule) -> None:
        self._summarize = summarize

    def plan(self, context: Context, budget: Budget) -> CompactionPlan:
        first = degrade.changes(
            context, recent=whole(context.settings, "recent_count", degrade.RECENT),
            head=whole(context.settings, "head", degrade.HEAD),
        )  # fmt: skip
        left = _sizes(context, first)
        trigger = budget.window or whole(context.settings, "trigger_tokens", TRIGGER)
        told = context.settings.get("target_tokens")
        aim = target(trigger) if budget.window or told is None else whole(context.settings, "target_tokens", 0)
        if sum(left) <= trigger:
            return self.decided(changes=tuple(first), notes=(f"tier1 was enough: {sum(left):,} tokens of {trigger:,}",))
        span = _span(context.items, left, sum(left) + MAX_TOKENS - aim)
        if span is None:
            return self.decided(changes=tuple(first), notes=("not applicable: no whole turn before the last one is left",))
        return self._summarized(context, first, span, sum(left[at] for at in span.positions()))

    def _summarized(self, context: Context, first: list[Change], span: _Span, tokens: int) -> CompactionPlan:
        """The plan with a summary in place of a span of so many tokens, or the first tier's with the reason why not."""
        try:
            text = self._merged(context, span)
        except SummaryError as error:
            return self.decided(changes=tuple(first), notes=(f"fell back to tier1, to be tried again next time: {error}",))
        if context.count(text) >= tokens:
            return self.decided(changes=tuple(first), notes=("fell back to tier1: the summary is no smaller than its turns",))
        inside = span.positions()
        outside = [change for change in first if change.position not in set(inside)]
        gone = [Change(at, Disposition.SUMMARIZED, None, "among the oldest turns") for at in inside]
        sources = tuple(at for at in inside if at != span.previous)
        insert = Insert(inside[0], ItemKind.COMPACTION_SUMMARY, text, "the oldest turns, in five fields", sources=sources)
        changes = tuple(sorted([*outside, *gone], key=lambda change: change.position))
        return self.decided(changes=changes, inserts=(insert,))

    def _merged(self, context: Context, span: _Span) -> str:
        """The summary of what came since the previous one, merged into that."""
        since = tuple(context.items[at] for at in span.positions() if at != span.previous)
        new = parse(ask(self._summarize, Ask(since, PROMPT.format(formatted(since)), context.count)))
        if new is None:
            raise SummaryError("the answer has none of the fields that were asked for")
        old = None if span.previous is None else parse(context.items[span.previous].text)
        return render(merge(old, new) if old else new)


def _sizes(context: Context, changes: list[Change]) -> list[int]:
    """Tokens of each item once the changes are made."""
    sizes = [context.tokens(at) for at in range(len(context.items))]
    for change in changes:
        sizes[change.position] = context.count(change.text) if change.text else 0
    return sizes


def _span(items: tuple[Item, ...], sizes: list[int], excess: int) -> _Span | None:
    """Whole turns from the oldest on, until they hold the excess or only the last turn is left."""
    starts = turn_starts(items)
    if len(starts) < 2:
        return None
    pinned = {at for at, item in enumerate(items) if at == starts[0] or item.kind == ItemKind.SYSTEM or _is_foreign(item)}
    previous = max((at for at in range(starts[0], starts[-1]) if _is_ours(items[at])), default=None)
    spans = [_Span(starts[0], end, frozenset(pinned | open_calls(items, end)), previous) for end in starts[1:]]
    spans = [span for span in spans if any(at != previous for at in span.positions()) and (previous or 0) < span.end]
    return next((one for one in spans if sum(sizes[at] for at in one.positions()) >= excess), spans[-1] if spans else None)


def _is_foreign(item: Item) -> bool:
    """A summary by somebody else, which nobody may summarize again, and which is all that is left of its turns."""
    return item.kind == ItemKind.COMPACTION_SUMMARY and not _is_ours(item)


def _is_ours(item: Item) -> bool:
    """Whether it is a summary in the template, which can be merged."""
    return item.kind == ItemKind.COMPACTION_SUMMARY and item.text.startswith(HEADING) and parse(item.text) is not None
