"""Names for logs that name themselves by their file alone. Shared words of several readers."""

import hashlib
import re
from pathlib import PurePosixPath
from typing import Any

from tasks.readers.values import canonical

_UNIQUE = re.compile(r"(?i).*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}.*")


def stem(path: str, *endings: str) -> str:
    """The file's name without the first of these endings that it has; else without what follows its last dot."""
    name = PurePosixPath(path.replace("\\", "/")).name
    for ending in endings:
        if name.endswith(ending) and name != ending:
            return name.removesuffix(ending)
    return name.rsplit(".", 1)[0] or name


def folder(path: str, levels: int = 1) -> str:
    """The name of the folder that many levels above a file."""
    names = path.replace("\\", "/").split("/")
    return names[-1 - levels] if len(names) > levels else ""


def told_apart(name: str, *begins_with: Any) -> str:
    """A name that many logs share, such as that of a task that is run again and again, with a hash of what tells them apart
    and never changes as they grow. A name with a UUID is its own."""
    if _UNIQUE.fullmatch(name):
        return name
    return f"{name}.{hashlib.sha256(canonical(list(begins_with)).encode()).hexdigest()[:12]}"
