"""What `[compaction]` switches on, and when it says to compact. Pure.

| the table                              | prune             | compact              |
|----------------------------------------|-------------------|----------------------|
| is absent                              | off               | off                  |
| is there, without `compact_threshold`  | on, 3 turns or so | off                  |
| is there, with `compact_threshold`     | on                | on, above that       |
"""

from collections.abc import Iterable, Mapping

from tasks.domain.compaction import CompactionSettings

TARGET_SHARE = 0.6
TIERS = ("tier1", "tier2")
EVICTING = ("chunk", "chunk_letter", "oldest", "oracle", "passive_fifo", "random", "random_chunks")
TO_TARGET = (*TIERS, *EVICTING)
"""Policies that run above `trigger_tokens` and come down to `target_tokens`, as far as their rules go."""


def prunes(config: CompactionSettings | None) -> bool:
    """Whether old results are pruned before every call."""
    return config is not None


def compacts(config: CompactionSettings | None) -> bool:
    """Whether the history is ever replaced by a summary."""
    return config is not None and config.compact_threshold is not None


def settings_of(policy: str, config: CompactionSettings | None) -> Mapping[str, object]:
    """What a policy is told (`Context.settings`), by the table or its defaults: whoever names a policy wants it, on or off."""
    told = config or CompactionSettings()
    tiers = {"trigger_tokens": told.trigger_tokens, "target_tokens": target(told.trigger_tokens, told.target_tokens)}
    return {
        "prune": {"protected_turns": told.prune_protected_turns},
        "compact": {"retained_turns": told.compact_retained_turns},
    }.get(policy, tiers if policy in TO_TARGET else {})


def trigger_of(policy: str, config: CompactionSettings | None) -> int | None:
    """Prompt tokens above which a policy runs by the table; None where the table does not say."""
    if config is None:
        return None
    return config.compact_threshold if policy == "compact" else config.trigger_tokens if policy in TO_TARGET else None


def target(trigger_tokens: int, target_tokens: int | None = None) -> int:
    """Tokens to come down to once a trigger was met."""
    return int(trigger_tokens * TARGET_SHARE) if target_tokens is None else target_tokens


def last_input_tokens(usage: Iterable[int | None]) -> int:
    """Prompt tokens of the last call that counted them; 0 before any did."""
    counted = [tokens for tokens in usage if tokens is not None]
    return counted[-1] if counted else 0


def is_due(input_tokens: int, threshold: int | None) -> bool:
    """Whether a threshold was passed; met exactly it is not, and none is never passed."""
    return threshold is not None and input_tokens > threshold


def due_after(runs: Iterable[Iterable[int | None]], threshold: int | None) -> list[int]:
    """Numbers, from 0, of the runs after which a compaction is due; each run is what its calls counted.

    Asked between runs alone: what a run grows to in its middle decides nothing. The count of a run that counted nothing is
    that of the run before.
    """
    due, seen = [], 0
    for number, run in enumerate(runs):
        seen = last_input_tokens([seen, *run])
        if is_due(seen, threshold):
            due.append(number)
    return due


def configured(policy: str, config: CompactionSettings | None) -> str:
    """What the table says of a policy, in a few words; nothing of one that it does not know."""
    if policy not in ("prune", "compact", "chunk", *TIERS):
        return ""
    if config is None:
        return "off: no [compaction]"
    if policy == "prune":
        return f"on: protects {config.prune_protected_turns} turns"
    threshold = trigger_of(policy, config)
    if threshold is None:
        return "off: no compact_threshold"
    kept = f", retains {config.compact_retained_turns} turns" if policy == "compact" else ""
    return f"on: above {threshold:,} tokens{kept}"
