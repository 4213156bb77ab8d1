"""The session of ninety minutes, generated: 61 turns, 199,960 tokens, of which 182,520 are 48 reads, a test run, and edits with
their reasoning. It knows no policy: sizes and places are those of the published account, names and texts are invented.
"""

import json
from dataclasses import dataclass, field
from functools import lru_cache

from tasks.compaction.plan import Context
from tasks.domain.item import Item
from tasks.domain.kinds import ItemKind
from tasks.tokens.counter import Counter

READS, READ_TOKENS = 48, 131_700
RUN_TOKENS, PASSED = 6_800, 211
HISTORY_TOKENS = 44_020
REQUEST_TOKENS = 199_960
FIRST_LINE = 118
"""Of the log, where turn 4 begins."""
LOG = ".agent/log/sess_kiln.jsonl"
COMMIT = "9f2c1ae"
RULE = "Never touch anything under /migrations."
STEP = "add a NOT NULL constraint after the backfill completes"
STALE_READ, STALE_EDIT = 12, 58
"""Turns in which db/schema/kilns.sql was read and edited."""
SCHEMA = "db/schema/kilns.sql"
FAILURES = (
    ("test_firing_rows", "AssertionError: expected 3 rows, got 0"),
    ("test_cone_order", "AssertionError: expected cone 6 before cone 10, got cone 10"),
    ("test_glaze_join", "KeyError: 'glaze_name'"),
)
"""Name of the test, and what the runner printed."""
DRY = {20, 33, 41, 50}
"""Turns between 4 and 55 without a read: 52 turns, 48 reads."""
ROOMS = ("firings", "glazes", "kilns", "shelves", "cones", "orders")


@lru_cache(maxsize=1)
def counter() -> Counter:
    return Counter("cl100k_base")


def count(text: str) -> int:
    return counter().count(text).tokens


def padded(text: str, tokens: int, word: str = " clay") -> str:
    """The text with so many words behind it that it has exactly so many tokens."""
    missing = tokens - count(text)
    made = text + word * missing
    assert count(made) == tokens, (count(made), tokens, text[:80])
    return made


def shares(total: int, parts: int) -> list[int]:
    """A total in parts that differ by one at most."""
    return [total // parts + (number < total % parts) for number in range(parts)]


@dataclass
class Session:
    items: list[Item] = field(default_factory=list)
    no: int = 1
    line: int = 1
    rows: dict[str, list[str]] = field(default_factory=lambda: {"reads": [], "run": [], "history": [], "else": []})
    """Ids of the items of each row of the account."""

    def add(self, turn: int, kind: ItemKind, text: str, row: str = "else", **facts: object) -> Item:
        seq = len(self.items)
        told = {"turn": turn, "request_no": self.no, "line_no": self.line, "tokens": count(text), "source_id": "kiln", **facts}
        item = Item(f"n:{seq}", "kiln:1", seq, kind, text, **told)  # type: ignore[arg-type]
        self.items.append(item)
        self.rows[row].append(item.item_id)
        self.line += 1
        return item

    def user(self, turn: int, text: str) -> None:
        self.add(turn, ItemKind.USER_TEXT, text, role="user", starts_turn=True)

    def say(self, turn: int, text: str, row: str = "else") -> None:
        self.add(turn, ItemKind.ASSISTANT_TEXT, text, row, role="assistant")

    def call(
        self, turn: int, tool: tuple[str, str], arguments: dict[str, object], result: str, rows: tuple[str, str], *,
        is_error: bool = False,
    ) -> None:  # fmt: skip
        """One model call with its result, which the next call is the first to see."""
        name, category = tool
        facts = {
            "tool_name": name, "tool_category": category, "call_id": f"c{len(self.items)}", "path": arguments.get("file_path"),
        }  # fmt: skip
        text = json.dumps(arguments, sort_keys=True, separators=(",", ":"))
        self.add(turn, ItemKind.TOOL_CALL, text, rows[0], role="assistant", **facts)
        self.no += 1
        self.add(turn, ItemKind.TOOL_RESULT, result, rows[1], role="tool", flags=("error",) if is_error else (), **facts)

    def tokens(self, row: str) -> int:
        own = set(self.rows[row])
        return sum(item.tokens or 0 for item in self.items if item.item_id in own)

    def context(self) -> Context:
        return Context(
            tuple(self.items), tuple(item.request_no or 0 for item in self.items), now=self.no, count=count, turn=61,
            commit=COMMIT, log_path=LOG,
        )  # fmt: skip


def session() -> Session:
    made = Session()
    _opening(made)
    made.line = FIRST_LINE
    reads, history = shares(READ_TOKENS, READS), shares(HISTORY_TOKENS, 52)
    for turn in range(4, 56):
        made.user(turn, "Next.")
        if turn not in DRY:
            _read(made, turn, reads.pop())
        _work(made, turn, history.pop())
    _last_turns(made)
    missing = REQUEST_TOKENS - sum(item.tokens or 0 for item in made.items)
    system = made.items[0]
    text = padded(system.text, (system.tokens or 0) + missing)
    made.items[0] = Item(**{**{name: getattr(system, name) for name in system.__slots__}, "text": text, "tokens": count(text)})
    return made


def _opening(made: Session) -> None:
    made.add(0, ItemKind.SYSTEM, "You work on the log of a pottery.", role="system")
    made.user(1, f"The list of firings is slow. {RULE}")
    steps = [("find the slow query", "completed"), ("backfill glaze_name", "in_progress"), (STEP, "pending")]
    todos = [{"content": text, "status": status} for text, status in steps]
    made.call(1, ("TodoWrite", "plan"), {"todos": todos}, "Todos have been modified.", ("else", "else"))
    for turn in (2, 3):
        made.user(turn, "Go on.")
        made.call(turn, ("Grep", "search"), {"pattern": f"firing_{turn}"}, "services/api/firings_6.py", ("else", "else"))


def _read(made: Session, turn: int, tokens: int) -> None:
    name = f"{ROOMS[turn % len(ROOMS)]}_{turn}"
    path = SCHEMA if turn == STALE_READ else f"services/api/{name}.py"
    lines = [f"def list_{name}(page):", f'    """Rows of {name}, the newest first."""']
    lines += [f"    row_{number} = fetch({number})" for number in range(tokens // 20)]
    made.call(turn, ("Read", "read"), {"file_path": path}, padded("\n".join(lines) + "\n    #", tokens), ("else", "reads"))


def _work(made: Session, turn: int, tokens: int) -> None:
    """Reasoning, an edit with its result, and a sentence; every tenth turn the edit fails and the approach is given up."""
    name = f"{ROOMS[turn % len(ROOMS)]}_{turn}"
    fails = turn % 10 == 0
    said = f"I gave up the subquery in {name} because it scans every row." if fails else f"{name}.py now reads the index once."
    answer = "String to replace not found." if fails else "The file has been updated."
    half = tokens // 2
    edit: dict[str, object] = {"file_path": f"services/store/{name}.py", "old_string": "", "new_string": ""}
    bare = count(json.dumps({**edit, "new_string": "#"}, sort_keys=True, separators=(",", ":")))
    edit["new_string"] = "#" + " clay" * (half - bare)
    arguments = count(json.dumps(edit, sort_keys=True, separators=(",", ":")))
    thought = f"The order of {name} matters because pages are cut by it.\n\nNotes:"
    rest = tokens - arguments - count(answer) - count(said)
    made.add(turn, ItemKind.REASONING, padded(thought, rest), "history", role="assistant")
    made.call(turn, ("Edit", "edit"), edit, answer, ("history", "history"), is_error=fails)
    made.say(turn, said, "history")
    made.no += 1


def _last_turns(made: Session) -> None:
    """Six calls that are still being worked with; the test run is two turns old."""
    made.user(56, "And the schema?")
    made.say(56, "I look for the places that write it.")
    made.no += 1
    made.call(56, ("Grep", "search"), {"pattern": "glaze_name"}, "services/api/glazes_11.py", ("else", "else"))
    made.user(57, "Next.")
    made.say(57, "Only one place writes glaze_name.")
    made.no += 1
    made.user(58, "Next.")
    made.call(58, ("Edit", "edit"), {"file_path": SCHEMA, "new_string": "x"}, "The file has been updated.", ("else", "else"))
    made.user(59, "Run the tests.")
    made.call(59, ("Bash", "shell"), {"command": "pytest -v"}, test_run(), ("else", "run"))
    made.user(60, "What fails?")
    made.say(60, "Three tests fail.")
    made.no += 1
    made.user(61, "Then repair them.")


def test_run() -> str:
    """214 tests, 3 of which fail."""
    passed = [f"tests/test_pottery.py::test_case_{number} PASSED" for number in range(PASSED)]
    failed = [f"tests/test_pottery.py::{name} FAILED" for name, _ in FAILURES]
    blocks = [
        line
        for name, told in FAILURES
        for line in (f"____ {name} ____", "", "    rows = list_firings()", ">   assert len(rows) == 3", f"E   {told}", "")
    ]
    summary = [f"FAILED tests/test_pottery.py::{name} - {told}" for name, told in FAILURES]
    end = ["==== short test summary info ====", *summary, "==== 3 failed, 211 passed in 4.20s ===="]
    output = ["collected 214 items", "", *passed, *failed, "", "==== FAILURES ====", *blocks, *end]
    spare = RUN_TOKENS - count("\n".join(output))
    at = 2 + PASSED // 2
    return _exact(output, at, spare)


def _exact(output: list[str], at: int, spare: int) -> str:
    """Longer by so many tokens in one line of a test that passed: the name of its parameter."""
    for words in range(spare - 4, spare + 4):
        text = "\n".join([*output[:at], output[at] + " clay" * words, *output[at + 1 :]])
        if count(text) == RUN_TOKENS:
            return text
    raise AssertionError(spare)
