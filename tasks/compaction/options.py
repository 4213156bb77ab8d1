"""What a policy was told (`Context.settings`), as the type that it expects."""

from collections.abc import Mapping


def whole(settings: Mapping[str, object], name: str, default: int) -> int:
    """A whole number that is not negative; the default where nothing was told. ValueError for anything else."""
    value = settings.get(name, default)
    if type(value) is not int or value < 0:
        raise ValueError(f"{name}: {value!r} is no whole number from 0 on")
    return value
