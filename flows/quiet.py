"""The environment in which Prefect and litellm are imported: no telemetry, no downloads, no files in the user's home."""

import os
import tomllib
from pathlib import Path

FIXED = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
"""Promises, so they hold whatever the user's environment says."""
PREFERRED = {
    # The temporary server needs 15 s on a quiet machine and longer than Prefect's default of 20 s on a busy one.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_CLI_PROMPT": "false",
}


def hush(data: Path, *, quiet: bool = False, uses_prefect: bool = True) -> None:
    """Call it before the first import of prefect or litellm; child processes inherit it."""
    # Only where no server is configured: the profile that names one lies in the user's own Prefect folder.
    home = {} if prefect_api() or not uses_prefect else {"PREFECT_HOME": str(data / "state" / "prefect")}
    for folder in home.values():  # Prefect makes the last folder only, and readable by everybody
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    level = {"PREFECT_LOGGING_LEVEL": "WARNING"} if quiet else {}
    os.environ.update(FIXED)
    for name, value in {**PREFERRED, **home, **level}.items():
        os.environ.setdefault(name, value)


def prefect_api() -> str | None:
    """Address of the Prefect server that the environment or the active profile names; found without importing Prefect."""
    return os.environ.get("PREFECT_API_URL") or _from_profile()


def _from_profile() -> str | None:
    home = Path(os.environ.get("PREFECT_HOME") or Path.home() / ".prefect")
    path = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml").expanduser()
    try:
        profiles = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    active = os.environ.get("PREFECT_PROFILE") or profiles.get("active")
    url = profiles.get("profiles", {}).get(active, {}).get("PREFECT_API_URL")
    return str(url) if url else None
