"""Numbers as people read them. Exact values stand beside or under every rounded one."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

_SCALES = ((1e9, "B"), (1e6, "M"), (1e3, "k"))


def compact(number: Any) -> str:
    """1234567 -> 1.23M; three digits that mean something, none lost below a thousand."""
    if number is None:
        return "–"
    for size, unit in _SCALES:
        # 999,999 is a million in three digits, not 1000k.
        if abs(number) >= size * 0.9995:
            scaled = number / size
            digits = 2 if abs(scaled) < 9.995 else 1 if abs(scaled) < 99.95 else 0
            return _signed(f"{scaled:.{digits}f}{unit}")
    return _signed(f"{number:,.0f}")


def exact(number: Any) -> str:
    """1234567 -> 1,234,567."""
    return "–" if number is None else _signed(f"{number:,.0f}")


def _signed(number: str) -> str:
    """With a minus that is as wide as a digit."""
    return number.replace("-", "−")


def percent(share: Any, part: Any = 0) -> str:
    """0.953 -> 95.3 %; where the part is something and its share rounds to nothing, that is said."""
    if share is None:
        return "–"
    if abs(share) < 0.0005 and (part or share):
        return "< 0.1 %"
    return f"{'−' if share < 0 else ''}{100 * abs(share):.1f} %"


def money(dollars: Decimal | float | None) -> str:
    """Dollars, with cents below a thousand; less than a cent is said as such."""
    if dollars is None:
        return "–"
    if dollars < 0:
        return f"−{money(-dollars)}" if dollars <= -Decimal("0.005") else "> −$0.01"
    if 0 < dollars < Decimal("0.005"):
        return "< $0.01"
    return f"${dollars:,.0f}" if dollars >= 1000 else f"${dollars:,.2f}"


def size(count: Any) -> str:
    """Bytes in decimal units."""
    return "–" if count is None else f"{compact(count)}B" if count >= 1000 else f"{exact(count)} B"


def day(moment: date | datetime | None) -> str:
    """A day in ISO form, without its time."""
    return "–" if moment is None else f"{moment:%Y-%m-%d}"


def minute(moment: datetime | None) -> str:
    """A day with its hour and minute."""
    return "–" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def duration(seconds: float | None) -> str:
    """9000 -> 2 h 30 min: the two largest units."""
    if seconds is None or seconds < 0:
        return "–"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, left = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    days, hours_left = divmod(hours, 24)
    if days:
        return f"{days} d {hours_left} h"
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {left} s"


def inside(path: str, folder: str | None) -> str:
    """A path as seen from a folder, where it lies in it."""
    return path.removeprefix(folder.rstrip("/") + "/") if folder and folder.strip("/") else path


def short_path(path: str, most: int = 60) -> str:
    """The end of a path, which tells files apart, where all of it is too long."""
    if len(path) <= most:
        return path
    tail = path[1 - most :]
    return "…" + (tail[tail.index("/") :] if "/" in tail else tail)


def added(number: Any) -> str:
    """A difference, with its sign: +1.23M, −5, and 0 for none."""
    return "–" if number is None else f"{_sign(number)}{compact(abs(number))}"


def added_money(dollars: Decimal | None) -> str:
    """A difference in dollars, with its sign."""
    return "–" if dollars is None else f"{_sign(dollars)}{money(abs(dollars))}"


def _sign(number: Any) -> str:
    return "+" if number > 0 else "−" if number < 0 else ""
