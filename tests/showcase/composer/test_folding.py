"""Which rows of the memory block stand openly, and which are told in a line each."""

import pytest

from showcase.composer.composing import MOST_OPEN, far_down
from showcase.composer.rows import Row


def rows(*scores: float) -> list[Row]:
    return [Row("message", None, f"{place}", score_value=score) for place, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("scores", "folded"),
    [
        ((), []),
        ((3.0,), []),
        ((1.9, 8.0, 4.0, 3.9), [1.9, 3.9]),
        ((-2.0, -9.0, -1.0), []),
        (tuple(20.0 - place / 2 for place in range(MOST_OPEN + 2)), [14.0, 13.5]),
        ((-1.0,) * (MOST_OPEN + 3), []),
    ],
    ids=["none", "one", "far below the best", "below zero", "too many", "all alike"],
)
def test_rows_far_below_the_best_are_folded_in_the_order_they_are_told(
    scores: tuple[float, ...], folded: list[float]
) -> None:
    assert [row.score_value for row in far_down(rows(*scores))] == folded
