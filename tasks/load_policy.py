"""A policy by its name, or from a Python file that somebody named: running it is what they asked for."""

import importlib.util
import inspect
from pathlib import Path

from tasks.compaction.policy import Policy
from tasks.compaction.registry import POLICIES
from tasks.domain.errors import UsageError
from tasks.evaluation.baselines import CONTROLS


def default_policies() -> list[str]:
    """All of the registry but the controls that stand beside every policy anyway."""
    return [name for name in POLICIES if name not in CONTROLS]


def policy_of(name: str) -> Policy:
    """By name, or from the file that somebody named: its one Policy. Running that file is what they asked for."""
    if name in POLICIES:
        return POLICIES[name]()
    path = Path(name).expanduser()
    if not name.endswith(".py"):
        raise UsageError(f"no policy {name!r}; give one of {', '.join(POLICIES)}, or a Python file that holds one")
    if not path.is_file():
        raise UsageError(f"{name}: no such file; give a Python file that holds one Policy")
    return _loaded(path)()


def _loaded(path: Path) -> type[Policy]:
    spec = importlib.util.spec_from_file_location(f"midwatch_policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{path}: {type(error).__name__}: {error}") from error
    found = [one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == module.__name__]
    policies = [one for one in found if issubclass(one, Policy) and not inspect.isabstract(one)]
    if len(policies) != 1 or not getattr(policies[0], "name", ""):
        raise UsageError(f"{path}: {len(policies)} policies in it; there must be one subclass of Policy, with a `name`")
    return policies[0]
