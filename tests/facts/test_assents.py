"""An assent is told by its words; a short order stays an order."""

import pytest

from tasks.facts.assents import is_assent


@pytest.mark.parametrize(
    "text", ["yes please", "1", "2.", "OK", "b)", "go ahead!", "Ja, bitte", "はい、お願いします", "继续", "👍", ""]
)
def test_mere_assent(text: str):
    assert is_assent(text)


@pytest.mark.parametrize(
    "text", ["Undo it.", "Stray row.", "no", "yes, but keep the tests", "停", "rm it", "option 2 without tests"]
)
def test_an_order_however_short(text: str):
    assert not is_assent(text)
