"""What is wanted of the figures, and the table that says what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.figures import Figure, rounded


@dataclass(frozen=True)
class Target:
    """A limit for a figure: at most so much, or at least."""

    label: str
    figure: str
    limit: float
    size: int | None = None
    is_least: bool = False

    def is_reached(self, figure: Figure) -> bool:
        """Whether the median keeps to it."""
        return figure.median >= self.limit if self.is_least else figure.median <= self.limit

    @property
    def wanted(self) -> str:
        """The limit in words."""
        return f"{'≥' if self.is_least else '≤'} {_number(self.limit)}"


TARGETS = (
    Target("one message a request, 8 clients, 8 entities", "ingest, 8 entities", 600, is_least=True),
    Target("the same, one entity", "ingest, one entity", 400, is_least=True),
    Target("batches of 100, 8 clients", "ingest, batches of 100", 9_000, is_least=True),
    Target("timeline of 100 rows, p50", "timeline", 8, 100_000),
    Target("recall, one client, p50", "recall", 12, 1_000),
    Target("recall, one client, p50", "recall", 20, 10_000),
    Target("recall, one client, p50", "recall", 40, 100_000),
    Target("recall, 8 clients, p95", "recall by 8 clients, p95", 350, 100_000),
    Target("context, p50", "context", 60, 100_000),
    Target("stored message to L3", "message to L3", 2.6),
    Target("the same, own time", "message to L3, own time", 0.3),
    Target("model calls a message", "calls a message", 1.6),
    Target("prompt tokens a message", "prompt tokens a message", 3_000),
    Target("its last quarter by the second", "prompt tokens, last quarter by the second", 1.1),
    Target("backlog of 400 to the last atom", "backlog to the last atom", 8),
    Target("memory of web without embeddings", "memory of web without embeddings", 150),
    Target("memory of the worker without", "memory of the worker without embeddings", 150),
    Target("memory of web with local embeddings", "memory of web with local embeddings", 300),
    Target("memory of the worker with", "memory of the worker with local embeddings", 300),
)


@dataclass(frozen=True)
class Row:
    """A target beside what was seen; `figure` is None where nobody measured it."""

    target: Target
    figure: Figure | None

    def as_json(self) -> dict[str, Any]:
        """The row as it is kept."""
        seen = None if self.figure is None else rounded(self.figure.median)
        is_reached = None if self.figure is None else self.target.is_reached(self.figure)
        return {
            "label": self.target.label,
            "size": self.target.size,
            "wanted": self.target.wanted,
            "seen": seen,
            "unit": "" if self.figure is None else self.figure.unit,
            "is_reached": is_reached,
        }


def table(figures: Sequence[Figure]) -> list[Row]:
    """A row for each target."""
    found = {(figure.name, figure.size): figure for figure in figures}
    return [Row(target, found.get((target.figure, target.size))) for target in TARGETS]


def markdown(rows: Iterable[Row]) -> Iterator[str]:
    """The table as a document shows it."""
    yield "| | atoms | wanted | seen | reached |"
    yield "| --- | ---: | ---: | ---: | --- |"
    for row in rows:
        size = "" if row.target.size is None else f"{row.target.size:,}"
        yield f"| {row.target.label} | {size} | {row.target.wanted} | {_seen(row)} |"


def by_size(figures: Iterable[Figure], exponents: dict[str, float]) -> Iterator[str]:
    """What depends on the size of the memory, a line for each figure, with the exponent of its growth."""
    sized = [figure for figure in figures if figure.size is not None]
    sizes = sorted({figure.size for figure in sized if figure.size is not None})
    yield f"| | {' | '.join(f'{size:,}' for size in sizes)} | exponent |"
    yield f"| --- | {' | '.join('---:' for _ in sizes)} | ---: |"
    for name in dict.fromkeys(figure.name for figure in sized):
        found = {figure.size: figure for figure in sized if figure.name == name}
        cells = [_measured(found[size]) if size in found else "" for size in sizes]
        yield f"| {name} | {' | '.join(cells)} | {exponents.get(name, '')} |"


def others(figures: Iterable[Figure]) -> Iterator[str]:
    """What has no size and no target, a line each."""
    wanted = {target.figure for target in TARGETS}
    for figure in figures:
        if figure.size is None and figure.name not in wanted:
            yield f"{figure.name}: {_measured(figure)}"


def _seen(row: Row) -> str:
    if row.figure is None:
        return "not measured | "
    return f"{_measured(row.figure)} | {'yes' if row.target.is_reached(row.figure) else 'no'}"


def _measured(figure: Figure) -> str:
    return f"{_number(rounded(figure.median))} {figure.unit}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.4g}"
