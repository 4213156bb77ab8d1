"""A whole number shared by weights, so that the parts add up to it. Pure."""

from collections.abc import Sequence


def split(total: int, weights: Sequence[float]) -> list[int]:
    """Whole parts that add up to `total`, each from one rounded running sum to the next. Exact for integers."""
    full = sum(weights)
    shares, given, seen = [], 0, 0.0 if isinstance(full, float) else 0
    for at, weight in enumerate(weights):
        seen += weight
        upto = rounded(total * seen, full) if full else total * (at + 1) // len(weights)
        shares.append(upto - given)
        given = upto
    return shares


def rounded(part: float, whole: float) -> int:
    """A quotient as a whole number; of integers exactly, halves upward."""
    if isinstance(part, int) and isinstance(whole, int):
        return (2 * part + whole) // (2 * whole)
    return round(part / whole)
