"""The table `[compaction]` of a settings file. Its being there at all means something: see tasks/compaction/config.py."""

from pydantic import BaseModel, ConfigDict, Field, model_validator


class CompactionSettings(BaseModel):
    """How far policies go. Turns begin with what a person typed; tokens are those of a prompt as its provider counts them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prune_protected_turns: int = Field(default=3, ge=0)
    """Last turns that `prune` leaves alone; 0 leaves none alone."""
    compact_threshold: int | None = Field(default=None, ge=1)
    """Prompt tokens above which `compact` runs, between two runs of the agent. Absent: never."""
    compact_retained_turns: int = Field(default=2, ge=0)
    """Last turns that `compact` keeps word for word."""
    trigger_tokens: int = Field(default=80_000, ge=1)
    """Prompt tokens above which `chunk` and `tier1` run, and `tier2` where that was not enough."""
    target_tokens: int | None = Field(default=None, ge=1)
    """What `tier2` aims at, so that the trigger is not met again at once. Absent: 60 % of the trigger."""

    @model_validator(mode="after")
    def _target_below_trigger(self) -> "CompactionSettings":
        if self.target_tokens is not None and self.target_tokens > self.trigger_tokens:
            raise ValueError(f"target_tokens ({self.target_tokens}) is above trigger_tokens ({self.trigger_tokens})")
        return self
