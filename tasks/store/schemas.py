"""The tables of the lake as data: columns, grain, owner. One explicit schema per table, never inferred.

A table belongs to a family. Rows of a family share their owner column and are replaced together: a changed owner is
written again whole by a later commit, and the manifest lists its older (owner, commit) pairs as superseded.
"""

from dataclasses import dataclass

import pyarrow as pa

TEXT, INT, BIG, FLAG, TIME, DAY = pa.string(), pa.int32(), pa.int64(), pa.bool_(), pa.timestamp("us"), pa.date32()
MONEY, WORDS = pa.decimal128(18, 9), pa.list_(pa.string())


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its rows' grain, who owns a row, and its columns in stored order."""

    name: str
    grain: str
    owner: str
    """Column that names the owner of a row."""
    family: str
    """Tables of one family are superseded together."""
    sort: tuple[str, ...]
    """Stored order; total, so that equal rows make equal bytes."""
    columns: tuple[tuple[str, pa.DataType], ...]
    version: int = 1

    @property
    def schema(self) -> pa.Schema:
        """Arrow schema with the row's `commit` (the snapshot that wrote it) as last column."""
        return pa.schema([*self.columns, ("commit", BIG)], metadata={"table": self.name, "schema_version": str(self.version)})


_BOOKS = tuple((f"{unit}_{where}", BIG) for unit in ("bytes", "lines") for where in ("in_rows", "rejected", "blank", "pending"))

SOURCES = Table(
    "sources", "log file generation, or a file listed without rows of its own", "source_id", "listing",
    ("source_id", "generation", "path"),
    (
        ("source_id", TEXT), ("generation", INT), ("agent", TEXT), ("form", TEXT), ("native_id", TEXT), ("path", TEXT),
        ("state", TEXT), ("reason", TEXT), ("copy_of", TEXT), ("bytes", BIG), ("lines", BIG), ("committed_bytes", BIG),
        ("raw_bytes", BIG), ("prefix_hash", TEXT), ("first_record_sha256", TEXT), *_BOOKS, ("first_keys", WORDS),
        ("reader_version", INT), ("redaction_version", INT), ("mtime", TIME), ("first_seen_at", TIME),
        ("last_changed_at", TIME),
    ),
    version=2,
)  # fmt: skip

_PLACE = (("line_no", BIG), ("byte_offset", BIG), ("byte_length", BIG))
_SOURCE = (("source_id", TEXT), ("generation", INT))

RECORDS = Table(
    "records", "raw record, no text", "source_id", "source", ("source_id", "generation", "byte_offset", "line_no"),
    (
        *_SOURCE, *_PLACE, ("sha256", TEXT), ("type", TEXT), ("native_id", TEXT), ("shape", TEXT), ("origin", TEXT),
        ("agent_version", TEXT), ("session_id", TEXT), ("flags", WORDS),
    ),
    version=2,
)  # fmt: skip

REJECTS = Table(
    "rejects", "span that is no record", "source_id", "source", ("source_id", "generation", "byte_offset"),
    (*_SOURCE, *_PLACE, ("reason", TEXT), ("sha256", TEXT)),
)  # fmt: skip

_SESSION_FACTS = (
    ("agent", TEXT), ("native_id", TEXT), ("project", TEXT), ("cwd", TEXT), ("git_branch", TEXT), ("git_commit", TEXT),
    ("title", TEXT), ("started_at", TIME), ("ended_at", TIME), ("parent_session_id", TEXT), ("relation", TEXT),
    ("ending", TEXT), ("agent_version", TEXT), ("context_limit", BIG), ("flags", WORDS),
)  # fmt: skip
_USAGE = (
    ("input_uncached_tokens", BIG), ("cache_read_tokens", BIG), ("cache_write_tokens", BIG), ("cache_write_5m_tokens", BIG),
    ("cache_write_1h_tokens", BIG), ("output_tokens", BIG), ("reasoning_tokens", BIG), ("output_origin", TEXT),
    ("is_sidechain", FLAG), ("stop_reason", TEXT), ("service_tier", TEXT), ("context_limit", BIG), ("web_search_requests", BIG),
)  # fmt: skip
_ITEM = (
    ("request_id", TEXT), ("kind", TEXT), ("role", TEXT), ("is_sidechain", FLAG), ("starts_turn", FLAG), ("tool_name", TEXT),
    ("tool_category", TEXT), ("call_id", TEXT), ("path", TEXT), ("text", TEXT), ("text_sha256", TEXT), ("chars", BIG),
    ("tokens", BIG), ("token_encoding", TEXT), ("at", TIME), ("flags", WORDS), ("opaque_chars", BIG),
    ("image_width", INT), ("image_height", INT), ("cleared_at", TIME),
)  # fmt: skip
_COMPACTION = (
    ("at", TIME), ("trigger", TEXT), ("tokens_before", BIG), ("tokens_after", BIG), ("items_removed", BIG),
    ("summary_item_id", TEXT),
)  # fmt: skip
_REPLAY = (("content_key", TEXT), ("is_replay", FLAG))

SEEN_SESSIONS = Table(
    "seen_sessions", "session x source", "source_id", "source", ("source_id", "generation", "session_id"),
    (*_SOURCE, ("session_id", TEXT), *_SESSION_FACTS, ("parent_ref", TEXT), ("first_at", TIME)),
)  # fmt: skip
SEEN_REQUESTS = Table(
    "seen_requests", "paid call x source", "source_id", "source", ("source_id", "generation", "ordinal"),
    (
        *_SOURCE, ("ordinal", BIG), ("request_id", TEXT), ("session_id", TEXT), ("line_no", BIG), ("at", TIME), ("model", TEXT),
        *_USAGE, ("call_key", TEXT), *_REPLAY, ("flags", WORDS), ("place", BIG),
    ),
    version=2,
)  # fmt: skip
SEEN_ITEMS = Table(
    "seen_items", "item x source", "source_id", "source", ("source_id", "generation", "ordinal"),
    (
        *_SOURCE, ("ordinal", BIG), *_PLACE, ("block_no", INT), ("item_id", TEXT), ("session_id", TEXT), ("native_id", TEXT),
        ("on_path", FLAG), ("in_context", FLAG), *_ITEM, *_REPLAY, ("place", BIG), ("branch", TEXT), ("branch_after", TEXT),
    ),
    version=4,
)  # fmt: skip
SEEN_COMPACTIONS = Table(
    "seen_compactions", "compaction x source", "source_id", "source", ("source_id", "generation", "ordinal"),
    (
        *_SOURCE, ("ordinal", BIG), ("compaction_id", TEXT), ("session_id", TEXT), ("line_no", BIG), *_COMPACTION, *_REPLAY,
        ("place", BIG),
    ),
    version=2,
)  # fmt: skip

SESSIONS = Table(
    "sessions", "session", "session_id", "session", ("session_id",),
    (("session_id", TEXT), *_SESSION_FACTS, ("parent_item_id", TEXT), ("lineage_id", TEXT)),
)  # fmt: skip
REQUESTS = Table(
    "requests", "paid API call, once over all files", "session_id", "session", ("session_id", "request_no", "request_id"),
    (
        ("request_id", TEXT), ("session_id", TEXT), ("request_no", BIG), ("at", TIME), ("day", DAY), ("model", TEXT),
        ("prompt_tokens", BIG), *_USAGE, ("epoch", BIG), ("cost_usd", MONEY), ("cost_origin", TEXT), ("flags", WORDS),
    ),
)  # fmt: skip
ITEMS = Table(
    "items", "thing said or done, once over all files", "session_id", "session", ("session_id", "seq", "item_id"),
    (
        ("item_id", TEXT), ("session_id", TEXT), ("seq", BIG), ("turn", BIG), ("day", DAY), *_ITEM, *_SOURCE, *_PLACE,
        ("block_no", INT),
    ),
    version=3,
)  # fmt: skip
PLACEMENTS = Table(
    "placements", "item x session it stands in, own or inherited", "session_id", "session",
    ("session_id", "position", "item_id"),
    (
        ("session_id", TEXT), ("position", BIG), ("item_id", TEXT), ("turn", BIG), ("request_no", BIG), ("epoch", BIG),
        ("on_path", FLAG), ("in_context", FLAG), ("inherited", FLAG), ("branch", BIG), ("branch_after", BIG),
    ),
    version=2,
)  # fmt: skip
COMPACTIONS = Table(
    "compactions", "compaction found in a log, once over all files", "session_id", "session",
    ("session_id", "request_no", "compaction_id"),
    (("compaction_id", TEXT), ("session_id", TEXT), ("request_no", BIG), *_COMPACTION),
)  # fmt: skip

RECONCILIATION = Table(
    "reconciliation", "call whose prompt a window held: its count as explained + overhead + residual", "session_id", "account",
    ("session_id", "request_no", "request_id"),
    (
        ("session_id", TEXT), ("request_id", TEXT), ("request_no", BIG), ("is_sidechain", FLAG), ("prompt_tokens", BIG),
        ("explained_tokens", BIG), ("overhead_tokens", BIG), ("residual_tokens", BIG), ("step_residual_tokens", BIG),
        ("content_tokens", BIG), ("items", BIG), ("overhead_cause", TEXT), ("removal_rule", TEXT), ("scale", pa.float64()),
        ("cost_explained_usd", MONEY), ("cost_overhead_usd", MONEY), ("cost_residual_usd", MONEY), ("cost_output_usd", MONEY),
        ("output_tokens_estimated", BIG), ("cost_output_estimated_usd", MONEY),
    ),
    version=2,
)  # fmt: skip
RESIDENCY = Table(
    "residency", "unbroken stay of an item in one session's window", "session_id", "account",
    ("session_id", "item_id", "is_sidechain", "first_request_no"),
    (
        ("session_id", TEXT), ("item_id", TEXT), ("is_sidechain", FLAG), ("epoch", BIG), ("form", TEXT), ("inferred", FLAG),
        ("first_request_no", BIG), ("last_request_no", BIG), ("requests", BIG), ("tokens_calibrated", BIG),
        ("token_requests", BIG), ("share_cached", pa.float64()), ("cost_usd", MONEY), ("cost_cache_read_usd", MONEY),
        ("cost_cache_write_usd", MONEY), ("cost_uncached_usd", MONEY), ("later_uses", BIG), ("last_used_request_no", BIG),
    ),
    version=2,
)  # fmt: skip
CACHE_MISSES = Table(
    "cache_misses", "call that paid for a prefix again", "session_id", "account", ("session_id", "request_no", "request_id"),
    (
        ("session_id", TEXT), ("request_id", TEXT), ("request_no", BIG), ("tokens_repaid", BIG), ("cause", TEXT),
        ("cost_usd", MONEY),
    ),
    version=2,
)  # fmt: skip
CALIBRATIONS = Table(
    "calibrations", "session x model x class of item: how many tokens its measure stands for", "session_id", "account",
    ("session_id", "model", "is_sidechain", "measure"),
    (
        ("session_id", TEXT), ("model", TEXT), ("is_sidechain", FLAG), ("measure", TEXT), ("scale", pa.float64()),
        ("framing", pa.float64()), ("factor", pa.float64()), ("pool", TEXT),
    ),
)  # fmt: skip

EVALUATIONS = Table(
    "evaluations", "session x policy x trigger x budget: what a policy would have freed there, and lost", "session_id",
    "evaluation", ("session_id", "request_no", "trigger", "at_tokens", "policy", "beside", "budget"),
    (
        ("session_id", TEXT), ("lineage_id", TEXT), ("agent", TEXT), ("request_no", BIG), ("trigger", TEXT), ("at_tokens", BIG),
        ("prompt_tokens", BIG), ("horizon", BIG), ("policy", TEXT), ("policy_version", BIG), ("is_control", FLAG),
        ("beside", TEXT), ("budget", pa.float64()), ("seed", BIG), ("seeds", BIG), ("acts", FLAG), ("tokens_before", BIG),
        ("tokens_after", BIG), ("residue_tokens", BIG), ("uses", BIG), ("atom_regret", pa.float64()),
        ("index_credit", pa.float64()), ("weighted_uses", pa.float64()), ("weighted_regret", pa.float64()), ("hard_uses", BIG),
        ("hard_regret", pa.float64()), ("line_uses", BIG), ("line_regret", pa.float64()), ("refetch_calls", pa.float64()),
        ("refetch_tokens", pa.float64()), ("regret_unrecoverable", pa.float64()), ("constraints", BIG),
        ("constraint_survival", pa.float64()), ("open_steps", BIG), ("plan_fidelity", pa.float64()),
        ("invalidated_tokens", BIG), ("break_even_requests", BIG), ("generation", BIG), ("faults", WORDS), ("evaluator", TEXT),
    ),
)  # fmt: skip

RUNS = Table(
    "runs", "pipeline run that committed", "run_id", "run", ("run_id",),
    (
        ("run_id", TEXT), ("started_at", TIME), ("seconds", pa.float64()), ("bytes_seen", BIG), ("sources_changed", BIG),
        ("sessions_changed", BIG), ("rejects", BIG), ("exit_state", TEXT),
    ),
)  # fmt: skip

TABLES = {
    t.name: t
    for t in (
        SOURCES, RECORDS, REJECTS, SEEN_SESSIONS, SEEN_REQUESTS, SEEN_ITEMS, SEEN_COMPACTIONS,
        SESSIONS, REQUESTS, ITEMS, PLACEMENTS, COMPACTIONS, RECONCILIATION, RESIDENCY, CACHE_MISSES, CALIBRATIONS,
        EVALUATIONS, RUNS,
    )
}  # fmt: skip
