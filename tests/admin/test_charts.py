"""Bars as shapes: scales that end in round numbers, and the figures as a table too."""

from datetime import date
from decimal import Decimal

import pytest

from memory.admin.charts import BOTTOM, HEIGHT, TOP, round_up, shown, stacked

DAYS = [date(2026, 6, day) for day in (1, 2, 3)]


@pytest.mark.parametrize(
    ("value", "is_whole", "top"),
    [(0, True, 4), (3, True, 4), (5, True, 8), (79_000, True, 80_000), (0.22, False, 0.24), (1, False, 1)],
)
def test_a_scale_ends_in_four_round_parts(value: float, is_whole: bool, top: float) -> None:
    assert round_up(value, is_whole=is_whole) == pytest.approx(top)


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [
        (1200, "", "1,200"),
        (Decimal("0.0042"), "$", "$0.0042"),
        (Decimal("12.3"), "$", "$12.30"),
        (0, "$", "$0.00"),
    ],
)
def test_amounts_are_written_for_people(amount: Decimal, unit: str, text: str) -> None:
    assert shown(amount, unit) == text


def test_a_day_is_a_column_of_its_steps() -> None:
    amounts = [(DAYS[0], "a", 100), (DAYS[0], "b", 300), (DAYS[2], "b", 50), (date(2020, 1, 1), "a", 9)]
    chart = stacked("Tokens", DAYS, amounts, series=["a", "b", "c"])
    lower, upper, last = chart.bars
    assert (lower.series, upper.series, last.series) == (0, 1, 1)
    assert upper.y + upper.height == pytest.approx(lower.y)
    assert upper.y == pytest.approx(TOP)
    assert last.y + last.height == pytest.approx(HEIGHT - BOTTOM)
    assert [mark.text for mark in chart.grid] == ["0", "100", "200", "300", "400"]
    assert chart.legend == [(0, "a"), (1, "b")]
    assert chart.table == (("2026-06-03", ("0", "50", "0")), ("2026-06-01", ("100", "300", "0")))
    assert (chart.total, upper.told) == ("450", "1 Jun: b 300")


def test_nothing_is_drawn_of_nothing() -> None:
    assert stacked("Tokens", DAYS, [], series=["a"]).is_empty
