"""Units and what is counted of them."""

import unicodedata
from collections import Counter

import pytest

from memory.indexing.drafts import LONGEST_FOLDED, draw_drafts, indexable
from memory.indexing.units import LONGEST, hashed_terms, make_unit, replace_units
from memory.models import Entity, Layer, LayerCount, SearchUnit, TermCount
from tests.factories import make_atom, make_entity, make_message, make_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    return make_entity()


def write(entity: Entity, layer: Layer, *ids: object) -> None:
    drafts = draw_drafts(entity, {layer: ids})  # type: ignore[dict-item]
    replace_units(entity, [(layer, row) for row in ids], drafts, ("en",))  # type: ignore[misc]


def counted(entity: Entity) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
    """What is counted: terms, and units with their length by layer."""
    terms = dict(TermCount.objects.filter(entity=entity).values_list("term", "units"))
    layers = LayerCount.objects.filter(entity=entity).values_list("layer", "units", "length")
    return terms, {layer: (units, length) for layer, units, length in layers}


def true_counts(entity: Entity) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
    """The same, counted from the units."""
    units = list(SearchUnit.objects.for_entity(entity))
    terms = Counter(term for unit in units for term in unit.terms)
    layers = {
        layer: (
            sum(unit.layer == layer for unit in units),
            sum(unit.length for unit in units if unit.layer == layer),
        )
        for layer in {unit.layer for unit in units}
    }
    return dict(terms), layers


def test_counts_are_those_of_the_units_however_often_they_are_written(entity: Entity) -> None:
    said = [make_message(entity, text) for text in ("Deploy billing.", "Billing on Express.", "Nothing.")]
    ids = [message.pk for message in said]
    write(entity, Layer.MESSAGE, *ids)
    write(entity, Layer.MESSAGE, *ids[:2])
    assert counted(entity) == true_counts(entity)
    assert SearchUnit.objects.for_entity(entity).count() == 3


def test_what_died_takes_its_counts_with_it(entity: Entity) -> None:
    said = make_message(entity, "Keep billing on Express.")
    atom = make_atom(entity, "Billing stays on Express.", [said])
    write(entity, Layer.ATOM, atom.pk)
    make_atom(entity, "Billing moves to Fastify.", [said], replaces=atom)
    write(entity, Layer.ATOM, atom.pk)
    assert counted(entity) == ({}, {Layer.ATOM: (0, 0)})
    assert not SearchUnit.objects.for_entity(entity).exists()


def test_the_same_word_has_another_number_in_another_entity(entity: Entity) -> None:
    other = make_entity("agent.other", workspace=make_workspace("elsewhere"))
    word = Counter(["billing"])
    assert set(hashed_terms(entity.pk, word)).isdisjoint(hashed_terms(other.pk, word))


def test_a_unit_holds_the_turn_before_and_the_date(entity: Entity) -> None:
    before = make_message(entity, "Which framework?", speaker="Bob")
    said = make_message(entity, "Express.")
    write(entity, Layer.MESSAGE, before.pk, said.pk)
    held = set(SearchUnit.objects.get(message=said).terms)
    for word in ("framework", "express", "bob", "june", "2026-06-02"):
        assert set(hashed_terms(entity.pk, Counter([word]))) <= held, word


def test_an_endless_text_keeps_within_the_column(entity: Entity) -> None:
    said = make_message(entity, "word " * 13_000)
    [draft] = draw_drafts(entity, {Layer.MESSAGE: [said.pk]})
    unit = make_unit(entity, draft, ("en",))
    assert max(unit.frequencies) <= LONGEST
    assert unit.length <= LONGEST


def test_a_message_without_anything_to_be_seen_has_no_unit(entity: Entity) -> None:
    said = make_message(entity, " \n ", attachment_text="")
    write(entity, Layer.MESSAGE, said.pk)
    assert not SearchUnit.objects.for_entity(entity).exists()


def test_a_text_that_grows_when_it_is_folded_is_found_by_its_beginning(entity: Entity) -> None:
    said = make_message(entity, "billing " + "\ufdfa" * 65_500 + " express")
    [draft] = draw_drafts(entity, {Layer.MESSAGE: [said.pk]})
    assert len(unicodedata.normalize("NFKC", draft.own_words)) <= LONGEST_FOLDED
    held = set(make_unit(entity, draft, ("en",)).terms)
    assert set(hashed_terms(entity.pk, Counter(["billing"]))) <= held
    said.refresh_from_db()
    assert said.text.endswith(" express")


@pytest.mark.parametrize("letter", ["a", "\u5b57", "\u00df"])
def test_the_longest_plain_text_and_its_attachments_are_indexed_whole(letter: str) -> None:
    text = letter * 32_768 + "a" * 32_768
    assert indexable(f"{text} {text}") == f"{text} {text}"
