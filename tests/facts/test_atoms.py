"""What can be found again: typed atoms of a text, the same every time, in time that grows with its length."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.facts.atoms import EVIDENCE, KINDS, Atom, atoms

HOLDS = {
    "see src/looms/warp.py:42 there": {("path", "src/looms/warp.py"), ("path", "warp.py")},
    "/srv/looms/bin/": {("path", "/srv/looms/bin")},
    "./kiln/fire.go, then": {("path", "kiln/fire.go"), ("path", "fire.go")},
    "+++ b/kiln/fire.go": {("path", "b/kiln/fire.go"), ("path", "kiln/fire.go"), ("path", "fire.go")},
    "kiln/fire.go-17-    glaze()": {("path", "kiln/fire.go"), ("path", "fire.go")},
    r"C:\looms\warp.py": {("path", r"C:\looms\warp.py"), ("path", "warp.py")},
    "open weaver.toml.": {("path", "weaver.toml")},
    "posts/2024-05-22-draft.md": {("path", "posts/2024-05-22-draft.md"), ("path", "2024-05-22-draft.md"), ("number", "2024")},
    "and/or read/write": set(),
    "weave_cloth(warpCount, HTTPLoom, Shed)": {
        ("identifier", "weave_cloth"), ("identifier", "warpCount"), ("identifier", "HTTPLoom"),
    },
    "__init__ _loom a_b Loom LOOM loom": set(),
    "größterKiln и весСтанка": {("identifier", "größterKiln"), ("identifier", "весСтанка")},
    "请用weaveCloth函数 warpCount를": {("identifier", "weaveCloth"), ("identifier", "warpCount")},
    "loom::shed.open()": {("identifier", "loom::shed")},
    "echo $offset $warp_count $LOOM_HOME": {("identifier", "$offset"), ("identifier", "warp_count"), ("env", "LOOM_HOME")},
    r'"cloth\nweaveAll\tgo"': {("identifier", "weaveAll"), ("quoted", r"cloth\nweaveAll\tgo")},
    "at 3fa9c01 and 1234567": {("hex", "3fa9c01"), ("number", "1234567")},
    "http://mill.example/a?b=1. Yes": {("url", "http://mill.example/a?b=1")},
    "LoomError: the shed is stuck": {("identifier", "LoomError"), ("error", "LoomError: the shed is stuck")},
    "t.Error(the shed is stuck)": set(),
    "shed-opener state-of-2": {("kebab", "shed-opener"), ("kebab", "state-of-2")},
    "v1.2 1.20.3-rc1 3.14": {("version", "v1.2"), ("version", "1.20.3-rc1")},
    "localhost:8080 port=90 x.py:120": {("port", "8080"), ("number", "8080"), ("port", "90"), ("number", "120")},
    "--max-threads=4": {("flag", "--max-threads")},
    "say 'open the shed' now": {("quoted", "open the shed")},
    "it isn't weaving, isn't it": set(),
}  # fmt: skip


@pytest.mark.parametrize("text", HOLDS)
def test_text_holds_exactly_these_atoms(text: str):
    assert atoms(text) == {Atom(*atom) for atom in HOLDS[text]}


def test_atoms_are_told_in_composed_form():
    assert atoms("gro\u0308\u00dfterKiln") == {Atom("identifier", "gr\u00f6\u00dfterKiln")}


def test_only_kinds_that_were_asked_for():
    text = "--open 1234 weave_cloth 'open the shed' port 8080"
    assert atoms(text, EVIDENCE) == {Atom("identifier", "weave_cloth"), Atom("flag", "--open")}
    assert {atom.kind for atom in atoms(text)} == {"flag", "number", "identifier", "quoted", "port"}


TEXTS = st.one_of(
    st.text(),
    st.text(alphabet="aB_/.-:\\$\"'` 19→\nEé"),
    st.lists(st.sampled_from([*HOLDS, "Error", ": ", "\n", '"', "FAIL"])).map("".join),
)


@given(TEXTS, TEXTS)
def test_two_texts_hold_what_each_holds(one: str, other: str):
    found = atoms(one + "\n" + other)
    assert found == atoms(one) | atoms(other)
    assert found == atoms(one + "\n" + other)
    assert {atom.kind for atom in found} <= KINDS


@pytest.mark.parametrize(
    "unit",
    [
        "a", "a_", "a/", "a-", "a.", "a:", "\\n", "::", "aB", "f0", "$a", "C:\\a", '"', "'", "`", '\\"',
        "Error", "Error: ", "FAIL x", "http://", "--a", "/", "1", "1.", "é", "→", "织", "a b ", "a_b/c.py:1 ", "port ",
    ],
)  # fmt: skip
def test_ten_times_the_text_takes_no_more_than_some_tens_of_times_as_long(unit: str):
    """Hostile texts: one unit again and again. A pattern that runs away would take a hundred times as long and more."""
    spent = []
    for size in (100_000, 1_000_000):
        text = unit * (size // len(unit))
        started = time.process_time()
        atoms(text)
        spent.append(time.process_time() - started)
    assert spent[1] < max(40 * spent[0], 0.5)
    assert spent[1] < 3
