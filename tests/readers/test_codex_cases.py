"""The rules of Codex's rollouts, one folder each: `input.jsonl`, and in `expected.json` the fact and the rows it is about."""

import json
from pathlib import Path
from typing import Any

import pytest
from rollouts import read

from tasks.domain.kinds import ItemKind
from tasks.domain.seen import Reading, SeenItem, SeenRequest
from tasks.readers.values import moment

CASES = sorted((Path(__file__).parent / "cases" / "codex").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_codex_case(case: Path):
    expected = json.loads((case / "expected.json").read_text())
    reading = read((case / "input.jsonl").read_bytes())
    seen = {name: show(reading, wanted) for name, wanted in expected.items() if (show := SHOWN.get(name))}
    assert {name: wanted for name, wanted in expected.items() if name in SHOWN} == seen
    assert expected.keys() <= {"fact", *SHOWN}


def test_sealed_reasoning_says_how_long_it_is():
    reading = read((CASES[0].parent / "count_after_its_items" / "input.jsonl").read_bytes())
    assert {(item.kind, item.opaque_chars) for item in reading.items if item.opaque_chars} == {(ItemKind.REASONING, 4)}


def test_every_line_is_a_record_and_every_id_is_its_own():
    for case in CASES:
        log = (case / "input.jsonl").read_bytes()
        reading = read(log)
        assert [row.line_no for row in reading.records] == list(range(1, log.count(b"\n") + 1)), case.name
        for ids in ([item.item_id for item in reading.items], [request.request_id for request in reading.requests]):
            assert len(set(ids)) == len(ids), case.name


@pytest.mark.parametrize("odd", [None, 1.5, [1], {"a": None}], ids=repr)
def test_no_odd_value_in_a_payload_stops_the_reading(odd: object):
    tried = set()
    for case in CASES:
        lines = [json.loads(line) for line in (case / "input.jsonl").read_text().splitlines()]
        for no, line in enumerate(lines):
            for name in line.get("payload", ()):
                field = (line["type"], line["payload"].get("type"), name)
                if field in tried:
                    continue
                tried.add(field)
                changed = {**line, "payload": {**line["payload"], name: odd}}
                log = "".join(json.dumps(one) + "\n" for one in [*lines[:no], changed, *lines[no + 1 :]])
                assert len(read(log.encode()).records) == len(lines), (case.name, no, name)


def item_line(item: SeenItem) -> str:
    words = [str(item.line_no), item.kind.value]
    words += ["turn"] * item.starts_turn + ["off"] * (not item.on_path) + ["copy"] * item.is_replay
    return f"{' '.join(words + ['unsent'] * (not item.in_context))}: {item.text[:40]}"


def request_line(request: SeenRequest) -> str:
    written = f" write={request.cache_write_tokens}" if request.cache_write_tokens else ""
    place = f"{request.line_no}{' copy' * request.is_replay}"
    return (
        f"{place} uncached={request.input_uncached_tokens} read={request.cache_read_tokens}{written}"
        f" out={request.output_tokens} reasoning={request.reasoning_tokens}"
    )


def session_facts(reading: Reading, wanted: dict[str, Any]) -> dict[str, Any]:
    (session,) = reading.sessions
    found = {name: getattr(session, name) for name in wanted}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def producers(reading: Reading, _: object) -> dict[str, int]:
    lines = {request.request_id: request.line_no for request in reading.requests}
    return {str(item.line_no): lines[item.request_id] for item in reading.items if item.request_id}


def dated(reading: Reading, wanted: dict[str, str]) -> dict[str, str]:
    by_line = {str(request.line_no): request.at for request in reading.requests}
    return {line: text for line, text in wanted.items() if by_line[line] == moment(text)[0]}


SHOWN = {
    "session": session_facts,
    "items": lambda reading, _: [item_line(item) for item in reading.items],
    "requests": lambda reading, _: [request_line(request) for request in reading.requests],
    "compactions": lambda reading, _: [
        f"{c.line_no} before={c.tokens_before} after={c.tokens_after}" for c in reading.compactions
    ],
    "flags": lambda reading, _: {str(row.line_no): list(row.flags) for row in reading.records if row.flags},
    "item_flags": lambda reading, _: {str(item.line_no): list(item.flags) for item in reading.items if item.flags},
    "request_flags": lambda reading, _: {str(call.line_no): list(call.flags) for call in reading.requests if call.flags},
    "produced": producers,
    "undated": lambda reading, _: [request.line_no for request in reading.requests if request.at is None],
    "dated": dated,
    "tools": lambda reading, _: {str(item.line_no): item.tool_name for item in reading.items if item.tool_name},
    "paths": lambda reading, _: {str(item.line_no): item.path for item in reading.items if item.path},
    "models": lambda reading, _: {str(call.line_no): [call.model, call.service_tier] for call in reading.requests},
}
