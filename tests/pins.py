"""The pins of this repository: `python tests/pins.py` resolves them anew and writes both places that hold them.

requirements.lock has every version with its hashes, for Python 3.11 and later on every platform, the test group included.
`[tool.uv] constraint-dependencies` in pyproject.toml repeats the versions, because that is what `uv run` reads in a fresh
clone. Neither names an index, so both work behind any mirror.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
PYPROJECT = ROOT / "pyproject.toml"

COMPILE = (
    "uv pip compile --no-config --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header"
    " --no-annotate --upgrade --quiet --group test pyproject.toml -o requirements.lock"
)


def locked(lock: str) -> list[str]:
    """The requirements of a lock file, `name==version` with the marker if it has one, in file order, without hashes."""
    return [line.rstrip(" \\") for line in lock.splitlines() if re.match(r"[A-Za-z0-9]", line)]


def with_constraints(pyproject: str, pins: list[str]) -> str:
    """The text of pyproject.toml with its list of constraints replaced."""
    block = "".join(f'  "{pin}",\n' for pin in pins)
    return re.sub(r"(?ms)^constraint-dependencies = \[\n.*?^\]", lambda _: f"constraint-dependencies = [\n{block}]", pyproject)


def main() -> None:
    subprocess.run(COMPILE.split(), cwd=ROOT, check=True)
    PYPROJECT.write_text(with_constraints(PYPROJECT.read_text("utf-8"), locked(LOCK.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
