"""The persona worded, taken back and restored by a person."""

from __future__ import annotations

from typing import Any

import pytest

from memory.models import Entity, Evidence, Trait, TraitVersion
from memory.stewardship.actors import RefusedChangeError, StaleChangeError
from memory.stewardship.correcting_traits import restore_trait, retract_trait, set_trait
from tests.cascade.scenes import a_scene
from tests.cascade.story import an_entity, settle
from tests.factories import make_trait
from tests.stewardship.people import by, kinds, persona, problems_at_rest

pytestmark = pytest.mark.django_db

ASKS = "Asks before each deploy."
ALONE = "Decides alone."


@pytest.fixture
def entity(db: None) -> Entity:
    return an_entity()


@pytest.fixture
def trait(entity: Entity) -> Trait:
    version = a_scene(entity, "Ask Dana before each deploy.")
    return make_trait(entity, "decision_pattern", ASKS, list(version.lines.all())).trait


def test_a_person_words_a_slot(entity: Entity, trait: Trait) -> None:
    version = set_trait(entity=entity, slot="decision_pattern", text=f" {ALONE}\n", **by(reason="I know her"))
    assert (version.trait, version.number, version.is_head, version.text) == (trait, 2, True, ALONE)
    [receipt] = Evidence.objects.filter(of_trait_version=version)
    correction = receipt.correction
    assert correction is not None
    assert (correction, correction.kind, correction.reason) == (version.correction, "trait_set", "I know her")
    assert (correction.before["text"], correction.after["text"]) == (ASKS, ALONE)
    assert persona(entity) == {"decision_pattern": ALONE}
    settle(entity)
    assert problems_at_rest(entity) == []


def test_an_empty_slot_is_worded_too(entity: Entity) -> None:
    version = set_trait(entity=entity, slot="role", text="Engineer.", **by())
    assert (version.number, persona(entity)) == (1, {"role": "Engineer."})


@pytest.mark.parametrize(
    ("slot", "text", "refusal"),
    [
        ("mood", "Good.", "The slots are archetype, role"),
        ("role", " ", "The trait is empty"),
        ("role", "x" * 601, "The trait has 601 characters"),
        ("decision_pattern", ASKS, "says so already"),
    ],
)
def test_what_cannot_be_said_is_refused(
    entity: Entity, trait: Trait, slot: str, text: str, refusal: str
) -> None:
    with pytest.raises(RefusedChangeError, match=refusal):
        set_trait(entity=entity, slot=slot, text=text, **by())
    assert (persona(entity), kinds(entity)) == ({"decision_pattern": ASKS}, [])


def test_a_trait_is_taken_back_and_its_history_stays(entity: Entity, trait: Trait) -> None:
    correction = retract_trait(trait=trait, **by())
    assert (persona(entity), TraitVersion.objects.get().is_head) == ({}, True)
    assert Evidence.objects.filter(of_trait_version__trait=trait, correction=correction).exists()
    with pytest.raises(StaleChangeError, match="retracted by now"):
        retract_trait(trait=trait, **by())
    trait.refresh_from_db()
    with pytest.raises(RefusedChangeError, match="already"):
        retract_trait(trait=trait, **by())


def test_a_trait_is_restored_as_a_new_version(entity: Entity, trait: Trait) -> None:
    retract_trait(trait=trait, **by())
    trait.refresh_from_db()
    version = restore_trait(trait=trait, number=None, **by())
    assert (version.number, persona(entity)) == (2, {"decision_pattern": ASKS})
    set_trait(entity=entity, slot="decision_pattern", text=ALONE, **by())
    trait.refresh_from_db()
    assert restore_trait(trait=trait, number=1, **by()).number == 4
    assert persona(entity) == {"decision_pattern": ASKS}
    assert kinds(entity) == ["trait_retracted", "trait_restored", "trait_set", "trait_restored"]


@pytest.mark.parametrize(("number", "refusal"), [(None, "already"), (7, "no version 7")])
def test_what_cannot_be_restored_is_refused(entity: Entity, trait: Trait, number: Any, refusal: str) -> None:
    with pytest.raises(RefusedChangeError, match=refusal):
        restore_trait(trait=trait, number=number, **by())
