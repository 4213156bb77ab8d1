"""Shapes of real records: few enough that a new one is news."""

import io
from collections import defaultdict
from pathlib import Path

from readings import head_of

from tasks.domain.kinds import Form
from tasks.domain.records import Books, Record
from tasks.readers import forms
from tasks.readers.values import shape

READ = (Form.LINES, Form.DOCUMENT)


def test_the_records_of_an_agent_have_few_shapes(shared: Path):
    """Were content part of a shape, there would be about as many shapes as records."""
    shapes: dict[str, set[str]] = defaultdict(set)
    records: dict[str, int] = defaultdict(int)
    for log in sorted((shared / "corpus").rglob("*")):
        if not log.is_file() or not log.suffix.startswith(".json"):
            continue
        form = head_of(log).form
        found = forms.read(io.BytesIO(log.read_bytes()), form, None, Books(), final=True) if form in READ else ()
        agent = log.relative_to(shared / "corpus").parts[0]
        for record in found:
            if isinstance(record, Record):
                shapes[agent].add(shape(record.data))
                records[agent] += 1
    many = {agent: len(found) for agent, found in shapes.items() if len(found) > max(50, records[agent] / 5)}
    assert many == {}
    assert len(shapes) > 5
