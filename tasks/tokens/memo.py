"""Counts of texts that were met before; archives hold the same tool result many times."""

from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memo(Generic[Value]):
    """A map that forgets what was not asked for lately. It holds between `room` and 2 x `room` entries, and no texts."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._young: dict[bytes, Value] = {}
        self._old: dict[bytes, Value] = {}

    def get(self, key: bytes) -> Value | None:
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: bytes, value: Value) -> None:
        if len(self._young) >= self._room:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())
