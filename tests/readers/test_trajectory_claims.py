"""Documents that look like a trajectory and are none of ours stay unclaimed."""

from typing import Any

import pytest

from tasks.domain.kinds import Form
from tasks.domain.records import Head
from tasks.readers import registry

SAID = [
    {"role": "system", "content": "Weave."},
    {"role": "user", "content": "A rug."},
    {"role": "assistant", "content": "Yes."},
]
LOOK_ALIKES: dict[str, dict[str, Any]] = {
    "a chat in a file named trajectory.json": {"format": "openai-chat", "messages": SAID},
    "messages alone": {"messages": SAID},
    "a bare list without a command": {"[]": SAID},
    "steps without a schema": {"steps": [{"step_id": 1, "source": "user", "message": "A rug."}]},
    "steps of another schema": {"schema_version": "loom-v1.0", "steps": [{"step_id": 1}], "agent": {"name": "weaver"}},
    "a trajectory of points": {"trajectory": [{"x": 1, "y": 2}], "history": []},
    "a list of texts": {"[]": [{"role": "user", "content": "A rug."}, {"role": "assistant", "content": "Yes."}]},
    "facts of a task": {"files_in_context": [], "model_usage": []},
    "the manifest of a session": {"version": 1, "session_id": "s-1", "cwd": "/srv/looms", "model": "weaver-2"},
}


@pytest.mark.parametrize("document", LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_a_look_alike_is_nobodys(document: dict[str, Any]):
    assert registry.find(Head(Form.DOCUMENT, (document,))) is None


@pytest.mark.parametrize("names", [("events/readme.json",), ("base_state.json",), ("history_item.json",)])
def test_a_folder_of_other_files_is_nobodys(names: tuple[str, ...]):
    assert registry.find(Head(Form.FOLDER, tuple({"a": 1} for _ in names), names)) is None
