"""What memory may hold already about words just read."""

from __future__ import annotations

import pytest

from memory.models import Entity
from memory.recall.lookup import find_candidates
from tests.factories import make_atom, make_entity, make_message

pytestmark = pytest.mark.django_db

HELD = (
    "Alice lives in Oslo.",
    "Alice likes tea with honey.",
    "Alice works at Northwind as a nurse.",
    "Alice is vegetarian.",
)


@pytest.fixture
def entity() -> Entity:
    entity = make_entity()
    for text in HELD:
        make_atom(entity, text, [make_message(entity, text)], terms=_terms(text))
    return entity


def _terms(text: str) -> list[str]:
    from memory.recall.terms import terms_of

    return terms_of(text)


def found(entity: Entity, *texts: str, each: int = 8, total: int = 40) -> list[str]:
    return [atom.text for atom in find_candidates(entity=entity, texts=texts, each=each, total=total)]


@pytest.mark.parametrize(
    ("said", "best"),
    [
        ("I moved to Bergen.", HELD[0]),
        ("Ich bin nach Bergen umgezogen.", HELD[0]),
        ("I quit my job last week.", HELD[2]),
        ("I eat meat again.", HELD[3]),
        ("No honey for me any more.", HELD[1]),
    ],
)
def test_what_speaks_of_the_same_matter_is_found_without_a_shared_word(
    entity: Entity, said: str, best: str
) -> None:
    assert found(entity, said)[0] == best


def test_a_shared_word_goes_before_a_shared_matter(entity: Entity) -> None:
    make_atom(entity, "Bergen is rainy.", [make_message(entity, "Rain.")], terms=["bergen", "rainy"])
    assert found(entity, "I moved to Bergen.") == ["Bergen is rainy.", HELD[0]]


def test_what_has_nothing_to_do_with_it_is_not_found(entity: Entity) -> None:
    assert found(entity, "The printer is broken.") == []
    assert found(entity) == []
