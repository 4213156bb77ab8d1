"""SWE-agent: one trajectory document -> rows.

`history` is the conversation; a step of `trajectory` says the same again, its `messages` or `query` the whole prompt of that
step, so that steps give items only where the history lacks them. The counts in `info.model_stats` are sums over the run: one
row with flag `sum_of_calls`, for no window ever held such a prompt and nobody knows how they divide.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tasks.domain.kinds import Ending, Form
from tasks.domain.records import Head, Record, SourceHint
from tasks.domain.seen import Reading
from tasks.readers import names, sweagent_messages
from tasks.readers.draft import Draft
from tasks.readers.protocol import Reader
from tasks.readers.sweagent_messages import Told
from tasks.readers.sweagent_steps import align, prompt, states, step_message
from tasks.readers.usage import cached_inside
from tasks.readers.values import fields, objects, text, whole

ENDINGS = (".traj.json", ".trajectory.json", ".traj")
STEP = {"action", "observation", "thought"}
MESSAGE = {"role", "content", "agent"}


class SweAgent(Reader):
    """The reader of SWE-agent's trajectories, whole ones and bare histories of demonstrations."""

    agent = "swe-agent"
    version = 2
    forms = frozenset({Form.DOCUMENT})

    def claims(self, head: Head) -> bool:
        whole_document = head.objects[0] if head.objects else {}
        steps, history = objects(whole_document.get("trajectory")), objects(whole_document.get("history"))
        if steps:
            return all(step.keys() >= STEP for step in steps)
        return bool(history) and all(message.keys() >= MESSAGE for message in history)

    def identify(self, head: Head, path: str) -> str:
        """The file is named by its task, which many runs share: what the model was told and answered first is its own."""
        told = head.objects[0] if head.objects else {}
        first = [message.get("content") for message in objects(told.get("history"))[:3]]
        steps = [step.get("response") for step in objects(told.get("trajectory"))[:1]]
        return names.told_apart(names.stem(path, *ENDINGS), told.get("environment"), first, steps)

    def read(self, records: Iterable[Record], hint: SourceHint) -> Reading:
        draft = Draft(self.agent)
        draft.open(hint.native_id or names.stem(hint.path, *ENDINGS))
        held = list(records)
        steps = [record for record in held if record.origin == "trajectory"]
        history = [record for record in held if record.origin == "history"]
        for record in held:
            if record.origin not in ("trajectory", "history"):
                _document(draft, record)
        told = Told(draft)
        _tell(draft, told, steps, history)
        for record in held:
            if not record.origin:
                _pay(draft, fields(fields(record.data.get("info")).get("model_stats")))
        reading = draft.finish()
        reading.records.sort(key=lambda row: row.byte_offset)
        if any(flag.startswith("exit_status:submitted") for flag in draft.session.flags):
            draft.session.ending = Ending.CLEAN
        return reading


def _tell(draft: Draft, told: Told, steps: Sequence[Record], history: Sequence[Record]) -> None:
    """The history, then the steps behind it; a step amid it whose answer was taken back is off the path."""
    matched, last = align([step.data for step in steps], [record.data for record in history])
    pruned = sweagent_messages.pruned([record.data for record in history], prompt(steps[-1].data) if steps else [])
    for no, record in enumerate(history):
        role = text(record.data.get("role")) or "unknown"
        draft.record(record, f"history/{role}")
        told.message(record.data, flags=("pruned",) if no in pruned else ())
    for no, record in enumerate(steps):
        draft.record(record, "trajectory")
        if no == 0 and not history:
            for message in prompt(record.data):
                told.message(message)
        if no not in matched:
            answer, observation = step_message(record.data)
            told.message(answer, on_path=no > last)
            told.message(observation, on_path=no > last, in_context=no < len(steps) - 1)
        elif no == len(steps) - 1 and told.waiting:
            told.message(step_message(record.data)[1], in_context=False)
    for cwd in states(step.data for step in steps):
        draft.session.cwd = draft.session.cwd or cwd


def _document(draft: Draft, record: Record) -> None:
    if record.origin:
        draft.record(record, record.origin, flags=("unknown_type",))
        return
    info = fields(record.data.get("info"))
    draft.record(record, "trajectory document")
    status = text(info.get("exit_status"))
    ended = (f"exit_status:{status}",) if status else ()
    draft.open(draft.session.native_id, title=_task(record.data), flags=ended)
    for name in ("swe_agent_version", "version"):
        draft.session.agent_version = text(info.get(name)) or draft.session.agent_version


def _pay(draft: Draft, stats: dict[str, Any]) -> None:
    """Sums over all calls of the run; of a replay, which pays nothing, they are zeros."""
    used = cached_inside(stats.get("tokens_sent"), output=stats.get("tokens_received"))
    if not used.is_empty:
        calls, cost = whole(stats.get("api_calls"))[0], stats.get("instance_cost")
        told = (f"calls:{calls}",) if calls else ()
        priced = (f"instance_cost:{cost}",) if isinstance(cost, int | float) else ()
        draft.call("total", used, flags=("sum_of_calls", *told, *priced))


def _task(document: dict[str, Any]) -> str | None:
    """The id of the task; the settings of a replay are an object or the JSON text of one."""
    settings = document.get("replay_config")
    if isinstance(settings, str):
        try:
            settings = json.loads(settings)
        except (ValueError, RecursionError):
            return None
    return text(fields(fields(settings).get("problem_statement")).get("id"))
