"""Every path under the data folder. Nobody else joins paths there."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things lie in one data folder. Creates nothing; `prepare` does."""

    data: Path

    @property
    def raw(self) -> Path:
        """Byte-exact copies of the logs; the only place where secrets may be."""
        return self.data / "raw"

    @property
    def key(self) -> Path:
        """Key of the redaction placeholders."""
        return self.raw / "key"

    @property
    def forgotten(self) -> Path:
        """Keyed hashes of what must not be read again."""
        return self.raw / "forgotten"

    @property
    def lake(self) -> Path:
        """Parts, manifests and the catalog: rebuilt from raw/ and derived/."""
        return self.data / "lake"

    @property
    def catalog(self) -> Path:
        """Generated DuckDB file for analysts."""
        return self.lake / "midwatch.duckdb"

    @property
    def derived(self) -> Path:
        """Documents that cost time or money to rebuild."""
        return self.data / "derived"

    @property
    def handoffs(self) -> Path:
        return self.derived / "handoffs"

    @property
    def reports(self) -> Path:
        return self.derived / "reports"

    @property
    def nights(self) -> Path:
        """One JSON line per snapshot that had a page: its headline figures."""
        return self.reports / "nights.jsonl"

    @property
    def session_reports(self) -> Path:
        """Pages of single sessions, made when somebody asks."""
        return self.reports / "sessions"

    @property
    def state(self) -> Path:
        """Lock, run log, hints: of no value to a reader of the lake."""
        return self.data / "state"

    @property
    def lock(self) -> Path:
        return self.state / "lock"

    @property
    def runs(self) -> Path:
        """One JSON line per run, committed or not."""
        return self.state / "runs.jsonl"

    @property
    def hints(self) -> Path:
        """File stamps of the last night: says what need not be hashed again, decides nothing else."""
        return self.state / "hints.json"

    @property
    def scratch(self) -> Path:
        """Spill files of a run; emptied by the next one."""
        return self.state / "scratch"

    @property
    def unpacked(self) -> Path:
        """Archives of logs as plain tar, while a run reads them."""
        return self.scratch / "unpacked"

    @property
    def demo(self) -> "Layout":
        """The lake of the packaged samples, apart from the real one."""
        return Layout(self.data / "demo")

    def manifest(self, snapshot: int) -> Path:
        return self.lake / f"manifest-{snapshot}.json"

    def table(self, name: str) -> Path:
        return self.lake / name

    def raw_log(self, agent: str, source_id: str, generation: int) -> Path:
        """Ids are hashes we made and agents come from the registry, so neither can climb out of raw/."""
        return self.raw / agent / source_id[:2] / f"{source_id}.{generation}.zst"

    def raw_note(self, agent: str, source_id: str, generation: int) -> Path:
        """What the lake knew of a copy, beside it: enough to build the lake again."""
        return self.raw_log(agent, source_id, generation).with_suffix(".json")

    def prepare(self) -> None:
        """Make the folders, readable by their owner alone."""
        for folder in (self.data, self.raw, self.lake, self.derived, self.handoffs, self.reports, self.state):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def safe_name(identifier: str) -> str:
    """A file name for any id: a readable slug and a hash, distinct after case folding and normalization."""
    slug = _UNSAFE.sub("-", identifier.lower()).strip("-")[:60] or "x"
    return f"{slug}-{hashlib.sha256(identifier.encode('utf-8', 'replace')).hexdigest()[:12]}"
