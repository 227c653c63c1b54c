"""The persona page: five slots, their wordings and what these rest on."""

from django.test import Client
from django.utils import timezone

from memory.models import Entity, Trait, TraitVersion
from memory.recall.persona_reading import list_traits
from showcase.access import Place, Scope
from showcase.links import anchor, record_url
from showcase.records.persona import persona_slots
from tests.showcase.records.conftest import Told, reword

PERSONA = "/showcase/agent-memory/persona/"


def test_every_slot_is_there_with_its_wordings_newest_first(told: Told) -> None:
    reword(told.trait, "Wants to be asked, always.", list(told.head.lines.all()[:1]))
    slots = persona_slots(Scope(told.entity, Place.DEMO))
    assert [(slot.name, [wording.text for wording in slot.wordings]) for slot in slots] == [
        ("Archetype", []),
        ("Role", []),
        ("Technical preferences", []),
        ("Interaction protocol", ["Ask before you act."]),
        ("Decision pattern", ["Wants to be asked, always.", "Wants to be asked first."]),
    ]


def test_a_wording_has_the_lines_it_was_drawn_from(told: Told) -> None:
    slot = persona_slots(Scope(told.entity, Place.DEMO))[-1]
    assert slot.current is not None
    assert [(ground.receipt.kind, ground.text) for ground in slot.current.grounds] == [
        ("line", told.rule.text)
    ]


def test_empty_retracted_and_erased_are_said(told: Told, client: Client) -> None:
    Trait.objects.filter(pk=told.trait.trait_id).update(status="retracted")
    TraitVersion.objects.filter(pk=told.trait.pk).update(text="", erased_at=timezone.now())
    content = client.get(PERSONA).content.decode()
    assert content.count("Nothing yet. A slot is filled") == 3
    assert '<span class="state">retracted</span>' in content
    assert "The words were erased." in content


def test_receipts_of_traits_lead_to_their_slot(told: Told, client: Client) -> None:
    url = record_url(Scope(told.entity, Place.DEMO), "trait", told.trait.trait_id)
    assert url == f"{PERSONA}#{anchor('trait', told.trait.trait_id)}"
    assert f'id="{anchor("trait", told.trait.trait_id)}"' in client.get(PERSONA).content.decode()


def test_a_long_history_is_cut_and_counted(told: Told) -> None:
    reword(told.trait, "Wants to be asked, always.", list(told.head.lines.all()[:1]))
    [decision, interaction] = list_traits(told.entity, limit=1)
    assert [(one.slot, one.total, len(one.wordings)) for one in (decision, interaction)] == [
        ("decision_pattern", 2, 1),
        ("interaction_protocol", 1, 1),
    ]


def test_an_empty_persona_says_so(client: Client, alice: Entity) -> None:
    Trait.objects.all().delete()
    assert client.get(PERSONA).content.decode().count("Nothing yet.") == 5
