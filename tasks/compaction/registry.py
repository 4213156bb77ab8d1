"""The table of policies: the only place that knows them all."""

from tasks.compaction.chunk import Chunk
from tasks.compaction.chunk_letter import ChunkLetter
from tasks.compaction.compact import Compact
from tasks.compaction.item_level import ItemLevel
from tasks.compaction.keep_last import KeepLast
from tasks.compaction.oldest import Oldest
from tasks.compaction.oracle import Oracle
from tasks.compaction.passive_fifo import PassiveFifo
from tasks.compaction.policy import Policy
from tasks.compaction.prune import Prune
from tasks.compaction.random_chunks import RandomChunks
from tasks.compaction.random_items import RandomItems
from tasks.compaction.tier1 import Tier1
from tasks.compaction.tier1_literal import Tier1Literal
from tasks.compaction.tier2 import Tier2
from tasks.domain.errors import UsageError

POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (
        Chunk,
        Compact,
        ItemLevel,
        Prune,
        Tier1,
        Tier2,
        # Controls, only there to be compared with.
        ChunkLetter,
        KeepLast,
        Oldest,
        Oracle,
        PassiveFifo,
        RandomItems,
        RandomChunks,
        Tier1Literal,
    )
}
"""By name, those to use before the controls."""


def by_name(name: str) -> type[Policy]:
    """UsageError with the names there are."""
    if name not in POLICIES:
        raise UsageError(f"no policy {name!r}; give one of {', '.join(POLICIES)} (`midwatch policies` says what each keeps)")
    return POLICIES[name]
