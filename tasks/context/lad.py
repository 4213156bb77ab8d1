"""Least deviations by weighted least squares, for a handful of coefficients. Plain Python: a few milliseconds a round.

Large deviations count as they are and not squared, because logs have steps that no coefficient explains (a tool server comes,
results are cleared), and squares would follow those.
"""

from collections.abc import Sequence

ROUNDS, SETTLED = 25, 1e-4
"""At most so many rounds; a coefficient that moves by less than this share of it has settled."""
NEAR = 100.0
"""Deviations up to so many tokens count squared: their mean is then none, and nothing adds up over a hundred steps."""
Row = tuple[dict[int, float], float]
"""Values of the coefficients that take part, by index, and what they add up to."""


def fit(
    rows: Sequence[Row], start: Sequence[float], pull: Sequence[float], bounds: Sequence[tuple[float, float]]
) -> list[float]:
    """Coefficients within their bounds. `pull` is how strongly each is held where it starts, in squared units of its values."""
    found = list(start)
    for _ in range(ROUNDS):
        weights = [1 / max(NEAR, abs(told - _dot(values, found))) for values, told in rows]
        before, found = found, _bounded(rows, weights, start, pull, bounds)
        if all(abs(old - new) <= SETTLED * max(1.0, abs(old)) for old, new in zip(before, found, strict=True)):
            break
    return found


def _dot(values: dict[int, float], coefficients: Sequence[float]) -> float:
    return sum(coefficients[at] * value for at, value in values.items())


def _bounded(
    rows: Sequence[Row], weights: Sequence[float], start: Sequence[float], pull: Sequence[float],
    bounds: Sequence[tuple[float, float]],
) -> list[float]:  # fmt: skip
    size = len(start)
    matrix = [[0.0] * size for _ in range(size)]
    right = [held * at for held, at in zip(pull, start, strict=True)]
    for at, held in enumerate(pull):
        matrix[at][at] = held + 1e-9
    for (values, told), weight in zip(rows, weights, strict=True):
        for i, x in values.items():
            scaled, row = weight * x, matrix[i]
            right[i] += scaled * told
            for j, y in values.items():
                row[j] += scaled * y
    fixed: dict[int, float] = {}
    while True:
        found = _solved(matrix, right, fixed)
        outside = {
            at: low if value < low else high
            for at, (value, (low, high)) in enumerate(zip(found, bounds, strict=True))
            if at not in fixed and not low <= value <= high
        }
        if not outside:
            return found
        fixed |= outside


def _solved(matrix: list[list[float]], right: list[float], fixed: dict[int, float]) -> list[float]:
    """The normal equations, with some coefficients given."""
    free = [at for at in range(len(right)) if at not in fixed]
    rows = [[matrix[i][j] for j in free] + [right[i] - sum(matrix[i][j] * value for j, value in fixed.items())] for i in free]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda at: abs(rows[at][i]))
        rows[i], rows[best] = rows[best], rows[i]
        for other in range(len(rows)):
            factor = rows[other][i] / rows[i][i] if other != i and rows[i][i] else 0.0
            if factor:
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[i], strict=True)]
    found = [0.0] * len(right)
    for at, value in fixed.items():
        found[at] = value
    for i, at in enumerate(free):
        found[at] = rows[i][-1] / rows[i][i] if rows[i][i] else 0.0
    return found
