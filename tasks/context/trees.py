"""Two binary indexed trees over a row of numbers: every operation takes the logarithm of its length. Pure."""


class Sums:
    """A row of amounts, none below zero: change one, and find where a running sum passes a value."""

    def __init__(self, length: int) -> None:
        self.total = 0
        self._length = length
        self._tree = [0] * (length + 1)

    def add(self, at: int, amount: int) -> None:
        self.total += amount
        at += 1
        while at <= self._length:
            self._tree[at] += amount
            at += at & -at

    def find(self, value: int) -> tuple[int, int]:
        """(the first place whose sum, its own amount included, is above a value, or the length; the sum before it)."""
        if value < 0:
            return 0, 0
        at, before = 0, 0
        step = 1 << self._length.bit_length()
        while step := step >> 1:
            if at + step <= self._length and before + self._tree[at + step] <= value:
                at += step
                before += self._tree[at]
        return at, before


class Additions:
    """A row of totals: add to all from one place up to another, and ask for one."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._tree = [0] * (length + 1)

    def add(self, first: int, end: int, amount: int) -> None:
        if first < end:
            self._from(first, amount)
            self._from(end, -amount)

    def at(self, place: int) -> int:
        total, place = 0, place + 1
        while place:
            total += self._tree[place]
            place &= place - 1
        return total

    def _from(self, place: int, amount: int) -> None:
        place += 1
        while place <= self._length:
            self._tree[place] += amount
            place += place & -place
