"""How what the arms found becomes one order."""

from dataclasses import replace
from uuid import UUID

import pytest

from memory.cascade.designs import Weights, load_design
from memory.models import Layer
from memory.recall.fusion import Candidate, Population, Relation, lift_together, score, standardised

SESSION = UUID(int=1)
NO_WEIGHT = Weights(**dict.fromkeys(Weights.model_fields, 0.0))
POPULATION = Population(units={Layer.MESSAGE: 100}, similarity_mean=0.2, similarity_spread=0.1)


def weighing(**weights: float) -> Weights:
    return NO_WEIGHT.model_copy(update=weights)


def message(unit: int, *, words: float = 0.0, similarity: float | None = None, **values: object) -> Candidate:
    candidate = Candidate(
        unit=unit,
        layer=Layer.MESSAGE,
        row=UUID(int=100 + unit),
        section="",
        session=SESSION,
        position=unit,
        speaker="alice",
        is_question=False,
        own_length=0,
        words=words,
        similarity=similarity,
    )
    return replace(candidate, **values)  # type: ignore[arg-type]


def scores(
    *candidates: Candidate, weights: Weights, people: frozenset[str] = frozenset()
) -> dict[int, float]:
    found = score(candidates, people=people, population=POPULATION, weights=weights)
    assert found.totals == pytest.approx({unit: sum(found.terms(unit).values()) for unit in found.totals})
    return {unit: round(total, 3) for unit, total in found.totals.items()}


def test_words_are_judged_against_the_whole_layer() -> None:
    """One unit of a hundred holds the words: mean 0.1, spread 0.995."""
    found = scores(message(1, words=10.0), message(2), weights=weighing(words=1.0))
    assert found == {1: 9.95, 2: -0.101}


def test_meaning_is_judged_by_the_spread_of_the_space() -> None:
    found = scores(message(1, similarity=0.5), message(2, similarity=None), weights=weighing(meaning=2.0))
    assert found == {1: 6.0, 2: 0.0}


def test_a_turn_is_lifted_by_the_words_of_its_neighbours() -> None:
    weights = weighing(turn_after=1.0, second_turn_after=0.1, turn_before=0.01)
    found = scores(message(1), message(2), message(3, words=10.0), message(4), weights=weights)
    lone = scores(message(1), message(9, words=10.0), weights=weights)
    assert found[2] > found[1] > found[4]
    assert lone[1] == 0.0


def test_a_neighbour_of_another_session_is_none() -> None:
    other = message(2, words=10.0, session=UUID(int=2))
    assert scores(message(1), other, weights=weighing(turn_after=1.0)) == {1: 0.0, 2: 0.0}


@pytest.mark.parametrize(
    ("people", "lifted"),
    [({"alice"}, 3.0), ({"bob"}, 0.0), ({"alice", "bob"}, 0.0), (set(), 0.0)],
    ids=["who speaks", "somebody else", "two people", "nobody"],
)
def test_the_one_person_that_is_named_counts(people: set[str], lifted: float) -> None:
    weights = weighing(named_speaker=3.0)
    assert scores(message(1), weights=weights, people=frozenset(people)) == {1: lifted}


def test_a_question_says_less_and_a_long_statement_more() -> None:
    weights = weighing(question=-1.0, substance=1.0)
    found = scores(message(1, is_question=True), message(2, own_length=9), weights=weights)
    assert found == {1: -1.0, 2: 2.303}


def test_a_session_that_speaks_of_it_lifts_all_its_turns() -> None:
    elsewhere = message(3, session=UUID(int=2))
    found = scores(message(1, words=5.0), message(2), elsewhere, weights=weighing(session=1.0))
    assert found == {1: 1.0, 2: 1.0, 3: -1.0}


def test_the_terms_are_named_and_nothing_else_is_in_the_score() -> None:
    found = score(
        [message(1, words=1.0)], people=frozenset(), population=POPULATION, weights=load_design().weights
    )
    assert set(found.terms(1)) == {
        "words",
        "meaning",
        "substance",
        "turn_after",
        "second_turn_after",
        "turn_before",
        "meaning_before",
        "meaning_after",
        "session",
    }


def test_nothing_found_gives_nothing() -> None:
    assert score([], people=frozenset(), population=POPULATION, weights=load_design().weights).totals == {}


def test_what_stands_together_is_judged_by_its_best_five() -> None:
    scores = [5.0, 5.0, 0.0, 1.0, 9.0]
    found = lift_together(["a", "a", "a", "b", None], scores)
    assert found == pytest.approx([1.0, 1.0, 1.0, -1.0, 0.0])
    assert lift_together(["", None], [1.0, 2.0]) == [0.0, 0.0]


def test_scores_that_are_all_the_same_have_no_spread() -> None:
    assert standardised([0.1, 0.1, 0.1]) == [0.0, 0.0, 0.0]
    assert standardised([]) == []
    assert standardised([1.0, 3.0]) == [-1.0, 1.0]


def test_what_was_scored_before_keeps_its_score_and_lifts_its_new_neighbours() -> None:
    weights = weighing(turn_after=1.0, related=0.5)
    found = message(2, words=10.0)
    first = score([found], people=frozenset(), population=POPULATION, weights=weights)
    added = message(1, relation=Relation(topic=True, time=True))
    both = score([added, found], people=frozenset(), population=POPULATION, weights=weights, before=first)
    assert both.totals == {1: pytest.approx(9.95 + 1.0, abs=0.001), 2: first.totals[2]}
    assert both.terms(2) == first.terms(2)
    assert {name: value for name, value in both.terms(1).items() if name.startswith("related")} == {
        "related_topic": 0.5,
        "related_time": 0.5,
    }
