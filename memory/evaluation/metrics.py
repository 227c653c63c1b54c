"""What is measured: the share of the evidence among the first turns, and within a budget of tokens."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

DEPTHS = (5, 10, 20, 50)
TOKEN_BUDGETS = (500, 1_000, 2_000, 4_000)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a method found for one question."""

    turns: tuple[str, ...]
    """Distinct, the best first."""
    told: Mapping[int, frozenset[str]]
    """By budget of tokens: the turns whose words, or whose claim, stand in what was rendered."""


def recall_at(evidence: Collection[str], turns: Sequence[str], depth: int) -> float:
    """The share of the evidence among the first `depth` turns; the evidence must not be empty."""
    return share(evidence, turns[:depth])


def share(evidence: Collection[str], found: Collection[str]) -> float:
    """The share of the evidence that was found."""
    return len(set(evidence) & set(found)) / len(set(evidence))


def reciprocal_rank(evidence: Collection[str], turns: Sequence[str]) -> float:
    """One by the place of the first turn of the evidence; 0 when there is none."""
    places = (place for place, turn in enumerate(turns, start=1) if turn in evidence)
    return 1.0 / next(places, math.inf)


def measures(evidence: Collection[str], found: Retrieved) -> dict[str, float]:
    """All measures of one question, by name."""
    return {
        **{f"recall_at_{depth}": recall_at(evidence, found.turns, depth) for depth in DEPTHS},
        "mrr": reciprocal_rank(evidence, found.turns),
        **{f"recall_at_{budget}_tokens": share(evidence, told) for budget, told in found.told.items()},
    }


@dataclass(slots=True)
class Tally:
    """Means of measures over questions, for all and by category."""

    _values: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, category: str, values: Mapping[str, float]) -> None:
        """Count one question."""
        for name, value in values.items():
            self._values[category].setdefault(name, []).append(value)

    def merge(self, other: Tally) -> None:
        """Count another tally's questions as well."""
        for category, values in other._values.items():
            for name, several in values.items():
                self._values[category].setdefault(name, []).extend(several)

    def overall(self) -> dict[str, float]:
        """Means over all questions."""
        return _means(self._values.values())

    def by_category(self) -> dict[str, dict[str, float]]:
        """Means of each category, and how many `questions` it has."""
        return {
            category: {"questions": _count(values), **_means([values])}
            for category, values in sorted(self._values.items())
        }


def _means(groups: Iterable[Mapping[str, list[float]]]) -> dict[str, float]:
    together: dict[str, list[float]] = {}
    for group in groups:
        for name, values in group.items():
            together.setdefault(name, []).extend(values)
    return {name: round(math.fsum(values) / len(values), 4) for name, values in together.items()}


def _count(values: Mapping[str, list[float]]) -> int:
    return max(map(len, values.values()))


def percentile(values: Sequence[float], part: float) -> float:
    """The value that `part` (0 to 1) of the values do not exceed (nearest rank); 0 for none."""
    if not values:
        return 0.0
    return sorted(values)[max(0, math.ceil(part * len(values)) - 1)]
