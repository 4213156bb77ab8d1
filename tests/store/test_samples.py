"""The packaged samples: found in a checkout and in an installed wheel, and every log is somebody's."""

import importlib.util
import io
import shutil
import tomllib
from pathlib import Path

import pytest

from tasks.domain.errors import DamageError
from tasks.domain.records import Books, Record
from tasks.gather import gather
from tasks.identify import identify
from tasks.readers.records import read_records
from tasks.store import samples
from tasks.store.layout import Layout
from tasks.store.walk import Found

CHECKOUT = Path(samples.__file__).parents[2]
LOGS = sorted(samples.samples_dir().rglob("*.jsonl"))


def installed_in(folder: Path) -> Path:
    """What `samples_dir` says when the module is installed there."""
    (folder / "tasks" / "store").mkdir(parents=True)
    module_path = shutil.copy(samples.__file__, folder / "tasks" / "store" / "samples.py")
    spec = importlib.util.spec_from_file_location("installed_samples", module_path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.samples_dir()
    assert isinstance(found, Path)
    return found


def test_a_checkout_has_the_samples_in_data():
    assert samples.samples_dir() == CHECKOUT / "data" / "samples"


def test_a_wheel_has_the_samples_beside_the_packages(tmp_path: Path):
    (tmp_path / samples.INSTALLED_AS).mkdir()
    (tmp_path / "data" / "samples").mkdir(parents=True)  # of some other package
    assert installed_in(tmp_path) == tmp_path / samples.INSTALLED_AS


def test_an_installation_without_samples_says_what_to_do(tmp_path: Path):
    with pytest.raises(DamageError, match="pass --archive"):
        installed_in(tmp_path)


def test_the_wheel_is_built_with_the_samples():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"]["data/samples"] == samples.INSTALLED_AS


def test_every_sample_is_claimed_by_the_agent_of_its_folder(tmp_path: Path):
    root = samples.samples_dir()
    for entry in gather([root], Layout(tmp_path), {}):
        assert isinstance(entry, Found), entry
        if entry.path != str(root / "README.md"):
            for sighting in identify(entry, 0, tmp_path):
                assert (sighting.agent, sighting.listed) == (Path(entry.path).relative_to(root).parts[0], ""), entry.path


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem[-12:])
def test_every_sample_in_lines_is_whole(log: Path):
    books = Books()
    assert all(isinstance(part, Record) for part in read_records(io.BytesIO(log.read_bytes()), books))
    assert (books.balanced, books.bytes_pending) == (True, 0)
