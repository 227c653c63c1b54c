"""What is measured, on cases that can be counted by hand."""

import pytest

from memory.evaluation.metrics import (
    Retrieved,
    Tally,
    measures,
    percentile,
    recall_at,
    reciprocal_rank,
    share,
)

FOUND = ("D1:9", "D1:3", "D1:8", "D1:7", "D1:6", "D1:5")


def test_recall_is_the_share_of_the_evidence_among_the_first() -> None:
    evidence = {"D1:3", "D1:5"}
    assert [recall_at(evidence, FOUND, depth) for depth in (1, 2, 5, 6)] == [0.0, 0.5, 0.5, 1.0]
    assert share(evidence, {"D1:5", "D2:1"}) == 0.5


def test_the_rank_is_that_of_the_first_evidence() -> None:
    assert reciprocal_rank({"D1:3", "D1:5"}, FOUND) == 0.5
    assert reciprocal_rank({"D7:7"}, FOUND) == 0.0


def test_all_measures_of_a_question_are_named() -> None:
    found = Retrieved(FOUND, {500: frozenset({"D1:3"}), 1_000: frozenset({"D1:3", "D1:5"})})
    assert measures({"D1:3", "D1:5"}, found) == {
        "recall_at_5": 0.5,
        "recall_at_10": 1.0,
        "recall_at_20": 1.0,
        "recall_at_50": 1.0,
        "mrr": 0.5,
        "recall_at_500_tokens": 0.5,
        "recall_at_1000_tokens": 1.0,
    }


def test_means_are_over_questions_not_over_categories() -> None:
    tally, more = Tally(), Tally()
    tally.add("temporal", {"mrr": 1.0})
    tally.add("single_hop", {"mrr": 0.0})
    more.add("single_hop", {"mrr": 0.5})
    tally.merge(more)
    assert tally.overall() == {"mrr": 0.5}
    assert tally.by_category() == {
        "single_hop": {"questions": 2, "mrr": 0.25},
        "temporal": {"questions": 1, "mrr": 1.0},
    }
    assert Tally().overall() == {}


@pytest.mark.parametrize(("part", "value"), [(0.0, 1.0), (0.5, 2.0), (0.75, 3.0), (0.95, 4.0), (1.0, 4.0)])
def test_percentiles_are_values_that_were_measured(part: float, value: float) -> None:
    assert percentile([4.0, 2.0, 1.0, 3.0], part) == value
    assert percentile([], part) == 0.0
