"""The table of policies: the only place that knows them all."""

from tasks.compaction.policy import Policy

POLICIES: dict[str, type[Policy]] = {}
"""By name, those to use before the controls."""
