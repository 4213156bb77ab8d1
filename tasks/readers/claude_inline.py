"""Sub-agents' turns that a Claude Code log repeats inside `progress` records.

They were paid like all others. Where the sub-agent's own file is in the archive too, records and calls have the same ids
there and are counted once; where it is not, these copies are all there is of that work.
"""

from typing import Any

FLAG = "from_progress"
_ENVELOPE = ("sessionId", "cwd", "version", "gitBranch")


class InlineTurns:
    """Unpacks the turns; those of one sub-agent are chained in the order they were logged, for they name no parent."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}

    def unpack(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """The turn as a record of the sub-agent's own, or None if the record holds none."""
        data = record.get("data")
        if not isinstance(data, dict) or data.get("type") != "agent_progress":
            return None
        turn, agent = data.get("message"), data.get("agentId")
        if not isinstance(turn, dict) or turn.get("type") not in ("user", "assistant") or not isinstance(turn.get("uuid"), str):
            return None
        if not isinstance(agent, str) or not agent:
            return None
        parent = self._last.get(agent)
        self._last[agent] = turn["uuid"]
        envelope = {name: record[name] for name in _ENVELOPE if name in record}
        return {**envelope, **turn, "agentId": agent, "isSidechain": True, "parentUuid": parent}
