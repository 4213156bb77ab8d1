"""Where the packaged samples are: invented logs that a first run can read without any of your own."""

from pathlib import Path

from tasks.domain.errors import DamageError

INSTALLED_AS = "midwatch_samples"
"""Folder beside the packages in an installed wheel; pyproject.toml puts `data/samples` there."""


def samples_dir() -> Path:
    """The folder to read as an archive; raises DamageError when the installation lost it."""
    root = Path(__file__).resolve().parents[2]
    places = (root / INSTALLED_AS, root / "data" / "samples")
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        raise DamageError(f"the samples are in neither {places[0]} nor {places[1]}; install midwatch again, or pass --archive")
    return found
