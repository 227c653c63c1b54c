"""How what the arms found becomes one order."""

from dataclasses import replace
from uuid import UUID

import pytest

from memory.models import Layer
from memory.recall.fusion import Candidate, Population, Weights, score

SESSION = UUID(int=1)
NO_WEIGHT = Weights(**dict.fromkeys(Weights.__dataclass_fields__, 0.0))
POPULATION = Population(units={Layer.MESSAGE: 100}, similarity_mean=0.2, similarity_spread=0.1)


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
    return {unit: round(sum(terms.values()), 3) for unit, terms in found.items()}


def test_words_are_judged_against_the_whole_layer() -> None:
    """One unit of a hundred holds the words: mean 0.1, spread 0.995."""
    found = scores(message(1, words=10.0), message(2), weights=replace(NO_WEIGHT, words=1.0))
    assert found == {1: 9.95, 2: -0.101}


def test_meaning_is_judged_by_the_spread_of_the_space() -> None:
    found = scores(
        message(1, similarity=0.5), message(2, similarity=None), weights=replace(NO_WEIGHT, meaning=2.0)
    )
    assert found == {1: 6.0, 2: 0.0}


def test_a_turn_is_lifted_by_the_words_of_its_neighbours() -> None:
    weights = replace(NO_WEIGHT, turn_after=1.0, second_turn_after=0.1, turn_before=0.01)
    found = scores(message(1), message(2), message(3, words=10.0), message(4), weights=weights)
    lone = scores(message(1), message(9, words=10.0), weights=weights)
    assert found[2] > found[1] > found[4]
    assert lone[1] == 0.0


def test_a_neighbour_of_another_session_is_none() -> None:
    other = message(2, words=10.0, session=UUID(int=2))
    assert scores(message(1), other, weights=replace(NO_WEIGHT, turn_after=1.0)) == {1: 0.0, 2: 0.0}


@pytest.mark.parametrize(
    ("people", "lifted"),
    [({"alice"}, 3.0), ({"bob"}, 0.0), ({"alice", "bob"}, 0.0), (set(), 0.0)],
    ids=["who speaks", "somebody else", "two people", "nobody"],
)
def test_the_one_person_that_is_named_counts(people: set[str], lifted: float) -> None:
    weights = replace(NO_WEIGHT, named_speaker=3.0)
    assert scores(message(1), weights=weights, people=frozenset(people)) == {1: lifted}


def test_a_question_says_less_and_a_long_statement_more() -> None:
    weights = replace(NO_WEIGHT, question=-1.0, substance=1.0)
    found = scores(message(1, is_question=True), message(2, own_length=9), weights=weights)
    assert found == {1: -1.0, 2: 2.303}


def test_a_session_that_speaks_of_it_lifts_all_its_turns() -> None:
    elsewhere = message(3, session=UUID(int=2))
    found = scores(message(1, words=5.0), message(2), elsewhere, weights=replace(NO_WEIGHT, session=1.0))
    assert found == {1: 1.0, 2: 1.0, 3: -1.0}


def test_the_terms_are_named_and_nothing_else_is_in_the_score() -> None:
    found = score([message(1, words=1.0)], people=frozenset(), population=POPULATION, weights=Weights())
    assert set(found[1]) == {
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
    assert score([], people=frozenset(), population=POPULATION, weights=Weights()) == {}
