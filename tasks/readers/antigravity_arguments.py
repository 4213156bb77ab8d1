"""The arguments of Antigravity's calls: each value is JSON again, in a string."""

from typing import Any

from tasks.readers.values import embedded

_PATHS = ("TargetFile", "AbsolutePath", "File", "SearchPath", "DirectoryPath", "Path", "file_path", "path")


def arguments(logged: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments as they were meant, and what was odd about them."""
    if isinstance(logged, dict):
        return {name: _meant(value) for name, value in logged.items()}, ()
    return ({}, ()) if logged is None else ({"input": logged}, ("arguments_not_json",))


def touched(given: dict[str, Any]) -> str | None:
    return next((found for name in _PATHS if isinstance(found := given.get(name), str) and found), None)


def _meant(value: Any) -> Any:
    found = embedded(value)
    return value if found is None else found
