"""The names one model goes by: logs write aliases, providers' ids and context suffixes."""

import re
from collections.abc import Iterable

NOT_MODELS = frozenset({"<synthetic>", "unknown", ""})
"""Written by agents where no model was called."""

CONTEXT_SUFFIX = re.compile(r"\[\w+\]$")
"""`claude-opus-4-6[1m]`: the agent asked for the large window."""
REGION = re.compile(r"^(?:us|eu|apac|global|au|jp|us-gov)\.")
VENDOR = re.compile(r"^(?:anthropic|openai|google|meta|mistral|amazon)\.")
REVISION = re.compile(r"-v\d+(?::\d+)?$|:\d+$")
DATE = re.compile(r"(?:-(?:20\d{6}|20\d\d-\d\d-\d\d)|-latest|@[\w.]+)$")


def candidates(model: str | None) -> list[str]:
    """The names to look up, the most exact one first; none for what is not a model.

    As logged; without context suffix; without `provider/`; without the parts of a Bedrock id (`us.anthropic.…-v1:0`);
    with a Vertex date (`@20250929`) as a suffix; without its date.
    """
    if model is None or model.strip().lower() in NOT_MODELS:
        return []
    names = [model, model.strip().lower()]
    names.append(CONTEXT_SUFFIX.sub("", names[-1]))
    while "/" in names[-1]:
        names.append(names[-1].split("/", 1)[1])
    names.append(VENDOR.sub("", REGION.sub("", names[-1])))
    names.append(REVISION.sub("", names[-1]))
    names.append(re.sub(r"@(?=20\d{6}$)", "-", names[-1]))
    names.append(DATE.sub("", names[-1]))
    return list(dict.fromkeys(names))


def closest(name: str, known: Iterable[str]) -> str | None:
    """The newest known name that is `name` and a date, since an alias means the last release.

    Lists drop retired models early and keep their Bedrock ids, which cost the same: these serve where nothing else does.
    """
    pattern = re.compile(r"(?:anthropic\.)?" + re.escape(name) + r"(?:-(?:20\d{6}|20\d\d-\d\d-\d\d))?(?:-v\d+(?::\d+)?)?")
    return max(filter(pattern.fullmatch, known), key=lambda found: (not found.startswith("anthropic."), found), default=None)


def plain(name: str) -> str:
    """What every host's name of a model has in common: no path, region, vendor or revision, and dashes for `.` and `@`."""
    bare = VENDOR.sub("", REGION.sub("", name.strip().lower().rsplit("/", 1)[-1]))
    return re.sub(r"[.@]", "-", REVISION.sub("", bare))
