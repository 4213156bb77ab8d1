"""The code is linted, formatted and strictly typed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = {
    "ruff finds nothing": ("ruff", "check", "."),
    "ruff would format nothing anew": ("ruff", "format", "--check", "."),
    "mypy finds every type": ("mypy",),
}


@pytest.mark.parametrize("arguments", TOOLS.values(), ids=TOOLS)
def test_the_code_is_in_order(arguments: tuple[str, ...]):
    run = subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"`{' '.join(arguments)}` says:\n{run.stdout}{run.stderr}"
