"""What a run is told: flag > MIDWATCH_* environment > midwatch.toml > default. Read once by the command, then passed down."""

import os
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from tasks.domain.compaction import CompactionSettings
from tasks.domain.errors import UsageError

CONFIG_NAME = "midwatch.toml"


def available_cpus() -> int:
    """Processors this process may use, which in a container are fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_data() -> Path:
    """`data/` of the checkout that this code runs from, else midwatch's folder in the user data directory."""
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "flows").is_dir():
        return checkout / "data"
    return user_data_directory() / "midwatch"


def user_data_directory() -> Path:
    """Where programs of this platform keep a user's data."""
    if os.environ.get("XDG_DATA_HOME"):
        return Path(os.environ["XDG_DATA_HOME"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ".local" / "share"


def _split(value: Any) -> Any:
    return value.split(os.pathsep) if isinstance(value, str) else value


class Settings(BaseSettings):
    """Everything a run can be told. Rooms get the values they need and never read the environment."""

    model_config = SettingsConfigDict(env_prefix="MIDWATCH_", frozen=True, extra="forbid")

    archive: Annotated[tuple[Path, ...], NoDecode, BeforeValidator(_split)] = ()
    """Folders of logs to walk. Empty: the standard places of each agent. In the environment separated like PATH."""
    data: Path = Field(default_factory=default_data)
    """Root of everything midwatch writes."""
    workers: int = Field(default_factory=lambda: min(available_cpus(), 8), ge=1, le=256)
    """Processes that read logs. One: no process beside this one."""
    timezone: str = "UTC"
    """IANA name of the zone in which `day` columns and the schedule are meant."""
    runner: Literal["auto", "local", "prefect"] = "auto"
    """Who runs the steps; `auto` is Prefect where a server is configured, else this process."""
    quiet: bool = False
    """No progress and no closing summary; errors and exit codes stay."""
    json_output: bool = False
    """Machine output on stdout."""
    final_grace_hours: float = Field(default=24, ge=0)
    """Age of a log after which its unterminated last line is read as it is."""
    raw_generations: int = Field(default=3, ge=1)
    """Versions kept in raw/ of a log that does not only grow."""
    query_seconds: float = Field(default=30, gt=0)
    """Time that one `midwatch query` may take."""
    query_rows: int = Field(default=100_000, ge=1)
    """Rows that one `midwatch query` returns at most."""
    query_memory: str = Field(default="1GB", pattern=r"^\d+(\.\d+)?\s*[KMGT]i?B$")
    """Memory that DuckDB may use for one `midwatch query`; more is spilled to a temporary folder."""
    evaluate_minutes: float = Field(default=10, gt=0)
    """Time that a night may take to try policies on sessions; the rest is left for the next."""
    compaction: CompactionSettings | None = None
    """How contexts are compacted; a table of the file, or JSON in the environment. Absent: neither pruned nor compacted."""

    @field_validator("archive")
    @classmethod
    def _absolute_archive(cls, folders: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(folder.expanduser().absolute() for folder in folders))

    @field_validator("data")
    @classmethod
    def _absolute_data(cls, folder: Path) -> Path:
        if "?" in str(folder.expanduser().absolute()):
            raise ValueError("DuckDB cannot open files below a folder with a question mark in its name; choose another")
        return folder.expanduser().absolute()

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            raise ValueError(f"{name!r} is no IANA time zone; write it like Europe/Berlin") from None
        return name

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # read_settings merges the sources itself, because the place of the file is known only when a command is called.
        return (init_settings,)


def read_settings(config: Path | None = None, **flags: Any) -> Settings:
    """The settings of one command; a flag that is None was not given. UsageError says which value of which source is wrong."""
    path = _config_path(config)
    sources = [
        (str(path), _read_toml(path) if path else {}),
        ("the environment", dict(EnvSettingsSource(Settings)())),
        ("the command line", {name: value for name, value in flags.items() if value is not None}),
    ]
    merged: dict[str, Any] = {}
    for _, values in sources:
        merged |= values
    try:
        return Settings(**merged)
    except ValidationError as error:
        raise UsageError("\n".join(_complaints(error, sources))) from None


def _config_path(config: Path | None) -> Path | None:
    named = config or (Path(os.environ["MIDWATCH_CONFIG"]) if os.environ.get("MIDWATCH_CONFIG") else None)
    if named is None:
        return Path(CONFIG_NAME) if Path(CONFIG_NAME).is_file() else None
    if not named.expanduser().is_file():
        raise UsageError(f"{named}: no such settings file; give --config an existing TOML file")
    return named.expanduser()


def _read_toml(path: Path) -> dict[str, Any]:
    """Relative folders in the file are meant from the place of the file."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{path}: cannot be read as TOML: {error}") from None
    base = path.absolute().parent
    if isinstance(values.get("data"), str):
        values["data"] = base / Path(values["data"]).expanduser()
    if isinstance(values.get("archive"), str | list):
        folders = values["archive"] if isinstance(values["archive"], list) else [values["archive"]]
        values["archive"] = [base / Path(folder).expanduser() if isinstance(folder, str) else folder for folder in folders]
    return values


def _complaints(error: ValidationError, sources: list[tuple[str, dict[str, Any]]]) -> Iterable[str]:
    for problem in error.errors(include_url=False):
        where = problem["loc"] or ("settings",)
        place = next((place for place, values in reversed(sources) if str(where[0]) in values), "the defaults")
        fields = CompactionSettings.model_fields if where[0] == "compaction" and len(where) > 1 else Settings.model_fields
        known = f"; known settings: {', '.join(fields)}" if problem["type"] == "extra_forbidden" else ""
        yield f"setting {'.'.join(map(str, where))!r} from {place}: {problem['msg']}{known}"
