"""A measured figure: one value of each repetition, all single samples, and how it grows with the memory."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

LEAST_POINTS = 2


@dataclass(frozen=True)
class Figure:
    """What was measured, in its unit; `size` is the atoms of the memory, None where there is none."""

    name: str
    unit: str
    values: tuple[float, ...]
    """One of each repetition."""
    size: int | None = None
    samples: tuple[float, ...] = ()
    """What the values were made of, where they sum something up."""
    note: str = ""

    @property
    def median(self) -> float:
        """Of the repetitions."""
        return statistics.median(self.values)

    def as_json(self) -> dict[str, Any]:
        """The figure with its spread."""
        told = {"name": self.name, "unit": self.unit, "size": self.size, "median": rounded(self.median)}
        spread = spread_of(self.samples or self.values)
        note = {"note": self.note} if self.note else {}
        return {**told, "repetitions": [rounded(value) for value in self.values], "spread": spread, **note}


def spread_of(samples: Sequence[float]) -> dict[str, float]:
    """Least, quartiles, tails and greatest of some samples, and how many there are."""
    ordered = sorted(samples)
    parts = {f"p{part}": rounded(percentile(ordered, part)) for part in (5, 25, 50, 75, 95)}
    return {"count": len(ordered), "least": rounded(ordered[0]), **parts, "greatest": rounded(ordered[-1])}


def percentile(samples: Sequence[float], part: float) -> float:
    """The value below which so many hundredths of the samples lie, between neighbours by their distance."""
    ordered = sorted(samples)
    place = (len(ordered) - 1) * part / 100
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def growth(figures: Iterable[Figure]) -> dict[str, float]:
    """By the name of a figure: the exponent e of its growth as size^e, where it has two sizes or more."""
    points: dict[str, dict[int, float]] = defaultdict(dict)
    for figure in figures:
        if figure.size and figure.median > 0:
            points[figure.name][figure.size] = figure.median
    return {name: round(slope(found), 3) for name, found in points.items() if len(found) >= LEAST_POINTS}


def slope(points: dict[int, float]) -> float:
    """The slope of the line nearest to the points by least squares, both axes logarithmic."""
    sizes = [math.log(size) for size in points]
    values = [math.log(value) for value in points.values()]
    return statistics.linear_regression(sizes, values).slope


def rounded(value: float) -> float:
    """To four digits that count."""
    return float(f"{value:.4g}") if abs(value) < 10_000 else round(value)
