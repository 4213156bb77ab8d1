"""Where the work stands: calls without a result, the command that still fails, and the next step by a stated rule."""

import json
import re
from collections.abc import Sequence

from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind, ToolCategory
from tasks.facts.plan import Step
from tasks.handoffs.model import NextStep

_CUT_OFF = "The turn was cut off: go on with the last request from where the agent's last words are."
_RUNS = {ToolCategory.SHELL.value, ToolCategory.TEST.value}
_SHELLS = {"bash", "shell", "exec_command", "local_shell", "run_shell_command", "unified_exec", "write_stdin", "shell_command"}
_EXIT = re.compile(r"(?:[Ee]xit(?:ed)?(?: with)? code|exit status|exit_code\"?)[: ]+([1-9]\d*)")
_RUN_END = re.compile(r"\s*(?:2>&1)?\s*(?:\|\s*(?:tail|head|grep|cat|less)\b[^|&;]*)*$")
_RED = re.compile(r"^(?:FAILED |=+ .*\b\d+ failed\b|--- FAIL|FAIL\t|test result: FAILED|Tests:\s+\d+ failed)", re.M)


def open_calls(items: Sequence[Item]) -> list[Item]:
    """Calls of the last turn that never got a result: the log ends, or was interrupted, while they ran."""
    answered = {item.call_id for item in items if item.kind == ItemKind.TOOL_RESULT}
    last_turn = max((item.turn or 0 for item in items), default=0)
    return [
        item
        for item in items
        if item.kind == ItemKind.TOOL_CALL and item.call_id and item.call_id not in answered and (item.turn or 0) == last_turn
    ]


def last_failure(items: Sequence[Item]) -> tuple[Item, Item] | None:
    """Call and result of the newest command that failed and was not seen to pass since.

    Failing tests and builds count however much was run after them; any other error only when nothing was run after it.
    """
    calls = {item.call_id: item for item in items if item.kind == ItemKind.TOOL_CALL and item.call_id and _is_run(item)}
    passed: set[str] = set()
    is_last_run = True
    for item in reversed(items):
        call = calls.get(item.call_id or "") if item.kind == ItemKind.TOOL_RESULT else None
        if call is None:
            continue
        run = _RUN_END.sub("", words(call))
        if _failed(item) and run not in passed and (is_last_run or _is_red(item)):
            return call, item
        if not _failed(item):
            passed.add(run)
        is_last_run = False
    return None


def next_step(  # noqa: PLR0911 (one rule, one line)
    items: Sequence[Item], steps: Sequence[Step], *, is_cut_off: bool, has_failure: bool
) -> NextStep:
    """The first rule that applies. Nothing here comes from the output of a tool."""
    waiting = open_calls(items)
    if waiting:
        called = f"`{waiting[-1].tool_name}` was called and no result was logged: see first whether it took effect."
        return NextStep(why="open_call", text=called)
    last = next((item for item in reversed(items) if item.kind in {ItemKind.USER_TEXT, ItemKind.ASSISTANT_TEXT}), None)
    if last is not None and last.kind == ItemKind.USER_TEXT:
        return NextStep(why="unanswered", text="Answer the last request: it has no answer in the log.")
    by_status = {step.status: step.text for step in reversed(steps)}
    if "in_progress" in by_status:
        return NextStep(why="plan_in_progress", text=by_status["in_progress"])
    if is_cut_off and last is not None:
        return NextStep(why="interrupted", text=_CUT_OFF)
    if "pending" in by_status:
        return NextStep(why="plan_pending", text=by_status["pending"])
    if has_failure:
        return NextStep(why="failing", text="Mend what the last failing run shows, then run it again.")
    if last is not None and last.text.rstrip().endswith(("?", "？", "؟")):
        return NextStep(why="question", text="The agent ended with a question: answer it.")
    return NextStep(why="nothing_open", text="Nothing is open in the log: ask what comes next.")


def _is_run(item: Item) -> bool:
    return item.tool_category in _RUNS or (item.tool_name or "").lower() in _SHELLS


def _failed(result: Item) -> bool:
    edges = result.text[:400] + "\n" + result.text[-4_000:]
    return "error" in result.flags or bool(_EXIT.search(edges)) or _is_red(result)


def _is_red(result: Item) -> bool:
    return bool(_RED.search(result.text[-20_000:]))


def words(call: Item) -> str:
    """What was run, without descriptions and timeouts beside it; for other tools the arguments as logged."""
    try:
        arguments = json.loads(call.text)
    except (ValueError, RecursionError):
        return call.text
    command = (
        next((arguments[key] for key in ("command", "cmd") if key in arguments), None) if isinstance(arguments, dict) else None
    )
    if isinstance(command, list):
        # Codex: ["bash", "-lc", "the command"]
        return str(command[-1]) if command[:1] in (["bash"], ["sh"], ["zsh"]) else " ".join(map(str, command))
    return command if isinstance(command, str) else call.text
