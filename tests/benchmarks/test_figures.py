"""The arithmetic of measured figures, and the table of what is wanted."""

import pytest

from benchmarks.figures import Figure, growth, percentile, spread_of
from benchmarks.targets import TARGETS, by_size, markdown, others, table


def test_a_figure_is_the_median_of_its_repetitions_with_the_spread_of_all_samples() -> None:
    figure = Figure("recall", "ms", (12.0, 10.0, 30.0), 1_000, tuple(range(1, 102)))
    assert figure.as_json() == {
        "name": "recall",
        "unit": "ms",
        "size": 1_000,
        "median": 12.0,
        "repetitions": [12.0, 10.0, 30.0],
        "spread": {
            "count": 101,
            "least": 1.0,
            "p5": 6.0,
            "p25": 26.0,
            "p50": 51.0,
            "p75": 76.0,
            "p95": 96.0,
            "greatest": 101.0,
        },
    }


def test_without_samples_the_spread_is_that_of_the_repetitions() -> None:
    assert Figure("rate", "messages/s", (2.0, 4.0)).as_json()["spread"] == spread_of([2.0, 4.0])


@pytest.mark.parametrize(("part", "value"), [(0, 1.0), (50, 2.5), (100, 4.0), (95, 3.85)])
def test_percentiles_lie_between_their_neighbours(part: float, value: float) -> None:
    assert percentile([4, 1, 3, 2], part) == pytest.approx(value)


def test_growth_is_the_slope_of_the_logarithms() -> None:
    figures = [
        *(Figure("square", "ms", (size**2,), size) for size in (10, 100, 1_000)),
        *(Figure("level", "ms", (5.0,), size) for size in (10, 100)),
        Figure("once", "ms", (5.0,), 10),
        Figure("of no size", "s", (5.0,)),
    ]
    assert growth(figures) == {"square": 2.0, "level": 0.0}


def test_every_target_has_its_row_measured_or_not() -> None:
    figures = [Figure("ingest, 8 entities", "messages/s", (650.0,)), Figure("recall", "ms", (41.0,), 100_000)]
    rows = [row.as_json() for row in table(figures)]
    assert [row["label"] for row in rows] == [target.label for target in TARGETS]
    assert [row for row in rows if row["seen"] is not None] == [
        {
            "label": "one message a request, 8 clients, 8 entities",
            "size": None,
            "wanted": "≥ 600",
            "seen": 650.0,
            "unit": "messages/s",
            "is_reached": True,
        },
        {
            "label": "recall, one client, p50",
            "size": 100_000,
            "wanted": "≤ 40",
            "seen": 41.0,
            "unit": "ms",
            "is_reached": False,
        },
    ]
    lines = list(markdown(table(figures)))
    assert lines[2] == "| one message a request, 8 clients, 8 entities |  | ≥ 600 | 650 messages/s | yes |"
    assert lines[3] == "| the same, one entity |  | ≥ 400 | not measured |  |"


def test_what_depends_on_the_size_stands_in_a_line_with_its_exponent() -> None:
    figures = [
        Figure("recall", "ms", (10.0,), 1_000),
        Figure("recall", "ms", (20.0,), 10_000),
        Figure("start again", "s", (1.5,)),
    ]
    assert list(by_size(figures, growth(figures))) == [
        "| | 1,000 | 10,000 | exponent |",
        "| --- | ---: | ---: | ---: |",
        "| recall | 10 ms | 20 ms | 0.301 |",
    ]
    assert list(others(figures)) == ["start again: 1.5 s"]
