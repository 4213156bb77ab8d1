"""Where the rest of a split output stands. Pure: whoever applies a plan to a live session writes the files."""

from collections.abc import Sequence

from tasks.compaction.plan import CompactionPlan
from tasks.domain.item import Item

FOLDER = ".agent/artifacts"


def path_of(run: int) -> str:
    """Of the whole output of a test run, by its number in the session."""
    return f"{FOLDER}/test-run-{run}.txt"


def files(plan: CompactionPlan, items: Sequence[Item]) -> dict[str, str]:
    """The text of each file that a plan points to: the output as it was, character by character."""
    return {artifact.path: items[artifact.position].text for artifact in plan.artifacts}
