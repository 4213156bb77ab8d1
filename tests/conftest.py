"""What every test stands on: no network, no settings and no agent logs of the machine that runs it."""

import os
import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tasks.domain.standard_places import HOMES

settings.register_profile("house", deadline=None, print_blob=True)
settings.load_profile("house")

AGENT_HOMES = (
    *(home.variable for home in HOMES if home.variable), "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
)  # fmt: skip
QUIET = {
    "DO_NOT_TRACK": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
}


getaddrinfo = socket.getaddrinfo


class NetworkBlockedError(RuntimeError):
    """A test tried to leave this machine."""


def is_local(address: Any) -> bool:
    """Unix sockets, loopback addresses and names for them."""
    if not isinstance(address, tuple):
        return True
    host = address[0]
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in ("localhost", "", socket.gethostname())


def guarded(connect: Callable[[socket.socket, Any], Any]) -> Callable[[socket.socket, Any], Any]:
    """The same way to connect, which refuses every address that is not on this machine."""

    def connect_here(self: socket.socket, address: Any) -> Any:
        if not is_local(address):
            raise NetworkBlockedError(f"{address!r} is not on this machine, and tests stay on it")
        return connect(self, address)

    return connect_here


def resolved_here(host: Any, *rest: Any, **options: Any) -> Any:
    """Look up names of this machine only; asking a name server is a connection too."""
    if host is not None and not is_local((host.decode() if isinstance(host, bytes) else host,)):
        raise NetworkBlockedError(f"{host!r} is not on this machine, and tests stay on it")
    return getaddrinfo(host, *rest, **options)


@pytest.fixture(scope="session", autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The whole run in an empty home folder, without a network, without this machine's settings."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolved_here)
        patch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
        for name in [n for n in os.environ if n.startswith(("MIDWATCH_", "PREFECT_")) and n != "MIDWATCH_SHARED"]:
            patch.delenv(name)
        for name in AGENT_HOMES:
            patch.delenv(name, raising=False)
        homes = {"HOME": str(home), "USERPROFILE": str(home), "PREFECT_HOME": str(home / "prefect")}
        for name, value in {**QUIET, **homes}.items():
            patch.setenv(name, value)
        yield


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder of the test's own; whoever writes first makes it."""
    return tmp_path / "data"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Path]:
    """Where a test may put an archive; what is locked in it is unlocked afterwards, so that it can be removed."""
    yield tmp_path / "archive"
    for path in tmp_path.rglob("locked*"):
        path.chmod(0o700)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real logs and cases that stands beside some checkouts: `$MIDWATCH_SHARED`, else ../shared."""
    beside = Path(os.environ.get("MIDWATCH_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not (beside / "corpus").is_dir():
        pytest.skip(f"{beside} is absent")
    return beside
