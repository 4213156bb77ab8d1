"""Sessions for tests of the account, said in a few words: calls, and items with the sizes that a provider would count."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from tasks.context.window import Call, Session, Standing
from tasks.domain.kinds import ItemKind

START = datetime(2026, 3, 2, 9)
OVERHEAD = 20_000
TRUE = {
    ItemKind.TOOL_RESULT: (0.9, 18), ItemKind.TOOL_CALL: (1.1, 80), ItemKind.ASSISTANT_TEXT: (1.12, 2),
    ItemKind.USER_TEXT: (1.11, 4), ItemKind.COMPACTION_SUMMARY: (1.11, 4), ItemKind.REASONING: (1.5, 0),
}  # fmt: skip
"""What the invented provider counts for a token of each kind, and beside it: the scales known beforehand."""


MARK = 0.45
"""And for a capital or a sign in a result."""


def true_tokens(item: Standing) -> int:
    scale, framing = TRUE[ItemKind(item.kind)]
    return round(scale * item.tokens + framing + MARK * item.marks)


@dataclass
class Story:
    """Writes a session call by call; the prompt of each is the overhead and what `held` says is in the window."""

    model: str = "claude-opus-4-5-20251101"
    agent: str = "claude-code"
    items: list[Standing] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    held: list[Standing] = field(default_factory=list)
    epoch: int = 0
    turn: int = 0
    at: datetime = START

    def add(self, kind: ItemKind, tokens: int, **facts: Any) -> Standing:
        """An item that comes in, or that the last call made."""
        made = kind in (ItemKind.ASSISTANT_TEXT, ItemKind.REASONING, ItemKind.TOOL_CALL)
        no = len(self.calls) if made else len(self.calls) + 1
        self.turn += kind is ItemKind.USER_TEXT
        item = Standing(
            f"i{len(self.items)}", len(self.items), no, self.epoch, kind, tokens, chars=tokens * 4, turn=self.turn,
            is_made=made, **facts,
        )  # fmt: skip
        self.items.append(item)
        self.held.append(item)
        return item

    def ask(self, tokens: int = 20, **facts: Any) -> "Story":
        self.add(ItemKind.USER_TEXT, tokens, **facts)
        return self

    def call(self, *, seconds: float = 10, read: int | None = None, overhead: int = OVERHEAD, hidden: int = 0) -> "Story":
        """One call over what is held; by default the cache held the prompt before."""
        self.at += timedelta(seconds=seconds)
        prompt = overhead + hidden + sum(map(true_tokens, self.held))
        before = self.calls[-1].prompt_tokens if self.calls else 0
        read = min(before, prompt) if read is None else read
        name, no = f"r{len(self.calls) + 1}", len(self.calls) + 1
        call = Call(name, no, prompt, self.epoch, self.at, self.model, input_uncached_tokens=0)
        self.calls.append(replace(call, cache_read_tokens=read, cache_write_tokens=prompt - read))
        return self

    def use(self, result: int, arguments: int = 30, **facts: Any) -> Standing:
        """A tool call of the last answer and its result."""
        name = f"c{len(self.items)}"
        self.add(ItemKind.TOOL_CALL, arguments, call_id=name)
        return self.add(ItemKind.TOOL_RESULT, result, call_id=name, **facts)

    def turns(self, calls: int, result: int = 200) -> "Story":
        """Calls that each use a tool."""
        for _ in range(calls):
            self.use(result)
            self.call()
        return self

    def compact(self, summary: int, *preserved: Standing) -> "Story":
        kept = [replace(item, flags=item.flags | {"preserved"}) for item in preserved]
        self.items = [next((one for one in kept if one.position == item.position), item) for item in self.items]
        self.epoch += 1
        self.held = []
        self.add(ItemKind.COMPACTION_SUMMARY, summary)
        self.held += kept
        return self

    def session(self) -> Session:
        return Session("claude-code:s", self.agent, "2.1.9", tuple(self.calls), tuple(self.items))
