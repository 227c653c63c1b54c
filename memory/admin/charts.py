"""Stacked bars by day as plain SVG shapes: no script draws them, so no policy has to allow one."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

WIDTH, HEIGHT = 400, 170
LEFT, RIGHT, TOP, BOTTOM = 44, 6, 12, 26
GRID_LINES = 4
BAR_SHARE = 0.72
DAYS_BETWEEN_LABELS = 7
_ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)

Amount = int | Decimal


@dataclass(frozen=True, slots=True)
class Bar:
    """One coloured piece of a day's column, with what is told when it is pointed at."""

    x: float
    y: float
    width: float
    height: float
    series: int
    told: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A label at a place: of a grid line, or of a day."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """All that a template draws, and the same figures as a table for those who cannot see it."""

    title: str
    series: tuple[str, ...]
    bars: tuple[Bar, ...]
    grid: tuple[Mark, ...]
    days: tuple[Mark, ...]
    table: tuple[tuple[str, tuple[str, ...]], ...]
    total: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.bars

    @property
    def legend(self) -> list[tuple[int, str]]:
        """The series that are drawn, each with the number of its colour."""
        drawn = {bar.series for bar in self.bars}
        return [(number, name) for number, name in enumerate(self.series) if number in drawn]


def stacked(
    title: str,
    days: Sequence[date],
    amounts: Iterable[tuple[date, str, Amount]],
    *,
    series: Sequence[str],
    unit: str = "",
) -> Chart:
    """Columns by day, one colour for each of `series`, on a scale from 0 to a round number."""
    by_day: defaultdict[date, dict[str, Amount]] = defaultdict(dict)
    for day, name, amount in amounts:
        if amount and day in days:
            by_day[day][name] = by_day[day].get(name, 0) + amount
    highest = max((float(sum(found.values())) for found in by_day.values()), default=0.0)
    top = round_up(highest, is_whole=unit != "$")
    return Chart(
        title=title,
        series=tuple(series),
        bars=tuple(_bars(days, by_day, series, top, unit)),
        grid=tuple(_grid(top, unit)),
        days=tuple(_day_marks(days)),
        table=tuple(_table(days, by_day, series, unit)),
        total=shown(sum((sum(found.values()) for found in by_day.values()), start=0), unit),
    )


def round_up(value: float, *, is_whole: bool) -> float:
    """The next top of a scale whose four parts are round: four times 1, 1.5, 2, 2.5, 3, 4, 5, 6 or 8, times a
    power of ten; for whole numbers the parts are whole too.
    """
    part = max(value / GRID_LINES, 1.0 if is_whole else 1e-6)
    power = 10.0 ** math.floor(math.log10(part))
    candidates = (step * size for size in (power, power * 10) for step in _ROUND)
    return GRID_LINES * next(
        one for one in candidates if one >= part * (1 - 1e-9) and (not is_whole or one == round(one))
    )


def shown(amount: Amount | float, unit: str) -> str:
    """An amount for people: `1,200`, `$0.0042`, `$12.30`."""
    if unit != "$":
        return f"{amount:,.0f}{unit}"
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${amount:.4f}"


def _short(amount: float, unit: str) -> str:
    """An amount for the axis: `1.5M`, `20k`, `$0.5`."""
    mark = unit if unit == "$" else ""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if amount >= size:
            return f"{mark}{amount / size:g}{letter}"
    return f"{mark}{amount:.3g}"


def _bars(
    days: Sequence[date],
    by_day: Mapping[date, Mapping[str, Amount]],
    series: Sequence[str],
    top: float,
    unit: str,
) -> Iterable[Bar]:
    column = (WIDTH - LEFT - RIGHT) / max(len(days), 1)
    for place, day in enumerate(days):
        stand = float(HEIGHT - BOTTOM)
        for number, name in enumerate(series):
            amount = by_day.get(day, {}).get(name)
            if amount:
                height = float(amount) / top * (HEIGHT - TOP - BOTTOM)
                stand -= height
                x = LEFT + place * column + column * (1 - BAR_SHARE) / 2
                told = f"{day:%-d %b}: {name.replace('_', ' ')} {shown(amount, unit)}"
                yield Bar(
                    round(x, 1), round(stand, 2), round(column * BAR_SHARE, 1), round(height, 2), number, told
                )


def _grid(top: float, unit: str) -> Iterable[Mark]:
    for line in range(GRID_LINES + 1):
        at = HEIGHT - BOTTOM - line / GRID_LINES * (HEIGHT - TOP - BOTTOM)
        yield Mark(round(at, 1), _short(top * line / GRID_LINES, unit))


def _day_marks(days: Sequence[date]) -> Iterable[Mark]:
    column = (WIDTH - LEFT - RIGHT) / max(len(days), 1)
    for place, day in enumerate(days):
        if (len(days) - 1 - place) % DAYS_BETWEEN_LABELS == 0:
            yield Mark(round(LEFT + (place + 0.5) * column, 1), f"{day:%-d %b}")


def _table(
    days: Sequence[date], by_day: Mapping[date, Mapping[str, Amount]], series: Sequence[str], unit: str
) -> Iterable[tuple[str, tuple[str, ...]]]:
    for day in reversed(days):
        if day in by_day:
            yield f"{day:%Y-%m-%d}", tuple(shown(by_day[day].get(name, 0), unit) for name in series)
