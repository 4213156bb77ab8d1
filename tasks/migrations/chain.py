"""The chain of session documents: whatever version a document has, one step after the other until it has the current one."""

import json
from collections.abc import Callable
from typing import Any

from tasks.domain.errors import UsageError
from tasks.migrations import steps

CURRENT = 5
Document = dict[str, Any]

STEPS: dict[int, Callable[[Document], Document]] = {
    1: steps.v1_to_v2,
    2: steps.v2_to_v3,
    3: steps.v3_to_v4,
    4: steps.v4_to_v5,
}
"""The step away from each older version."""


def version_of(document: Document) -> int | None:
    """The version that a document says it has; None for anything but a whole number from 1 to the current one."""
    version = document.get("schema_version")
    return version if type(version) is int and 1 <= version <= CURRENT else None


def migrate(document: Document) -> Document:
    """The document in the current version, itself where it has that already; what was given stays as it is.

    UsageError `unknown schema version` for any other version, and for none.
    """
    version = version_of(document)
    if version is None:
        told = json.dumps(document["schema_version"])[:40] if "schema_version" in document else "none is given"
        raise UsageError(f"unknown schema version: {told}; known are 1 to {CURRENT}")
    for step in path_from(version):
        document = step(document)
    return document


def path_from(version: int) -> tuple[Callable[[Document], Document], ...]:
    """The steps that a document of this version still needs, in order."""
    return tuple(STEPS[older] for older in range(version, CURRENT))
