"""Whether a shell command reads files or searches them: agents that have a shell alone do both in it."""

import json

from tasks.domain.kinds import ToolCategory
from tasks.tokens.commands import COMMAND_OPTION, SHELLS, simple_commands


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READERS = _words("cat bat batcat head tail nl less more sed awk get-content gc type")
"""Programs that print what stands in a file."""
SEARCHERS = _words(
    "grep egrep fgrep rg ag ack find fd ls tree locate git-grep git-ls-files select-string get-childitem gci dir findstr"
)
"""Programs that print where something is."""
BESIDE = _words("cd pushd popd set export echo printf true pwd test [ sort uniq wc cut tr column select-object")
"""Programs that change nothing of what the others of a command are for."""
_WRITING = _words("-i -i.bak --in-place -delete -exec -execdir > >>")
_NAMES = ("command", "cmd", "script", "CommandLine", "commandLine")


def looks(arguments: str) -> ToolCategory | None:
    """READ or SEARCH, by the arguments of a shell call; None where it does anything else, or nobody can tell."""
    command = command_of(arguments)
    return _looks(command) if command else None


def command_of(arguments: str) -> str:
    """What a shell call runs; empty where its arguments have no such thing."""
    try:
        told = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    value = next((told[name] for name in _NAMES if told.get(name)), "") if isinstance(told, dict) else ""
    if isinstance(value, list):
        words = [str(word) for word in value]
        is_shell = len(words) > 2 and words[0].rsplit("/", 1)[-1] in SHELLS and COMMAND_OPTION.match(words[1])
        return words[2] if is_shell else " ".join(words)
    return str(value)


def _looks(command: str) -> ToolCategory | None:
    found: set[ToolCategory] = set()
    for words in simple_commands(command):
        program = words[0].rsplit("/", 1)[-1].lower()
        if program == "git" and len(words) > 1:
            program = f"git-{words[1]}"
        if _WRITING & set(words):
            return None
        if program in SEARCHERS:
            found.add(ToolCategory.SEARCH)
        elif program in READERS:
            # Behind a search in a pipe they only shorten what it found.
            found |= set() if ToolCategory.SEARCH in found else {ToolCategory.READ}
        elif program not in BESIDE:
            return None
    return ToolCategory.READ if ToolCategory.READ in found else next(iter(found), None)
