"""The second look: what is around the first finds is found too, and nothing that may not be."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from memory.indexing.step import index_entity
from memory.models import Atom, Entity, Layer, Session
from memory.recall.arms import Filters
from memory.recall.hits import Hit
from memory.recall.search import Request, search
from memory.recall.second_look import CLAIMS_OF_EACH, TURNS_AROUND
from tests.factories import SAID_AT, make_atom, make_entity, make_message, make_workspace
from tests.indexing.embedders import ScriptedEmbedder

pytestmark = pytest.mark.django_db

EMBEDDER = ScriptedEmbedder("scripted", 8)
QUESTION = "Where are the tulips?"
WEDDING = date(2026, 5, 9)
CLAIMS: dict[str, dict[str, Any]] = {
    "Tulips grow beside the fence.": {"topic": "garden", "subject": "Ann", "happened_from": WEDDING},
    "Moss covers the northern wall.": {"topic": "garden", "subject": "Ben", "kind": "persona"},
    "The cake had three floors.": {"topic": "kitchen", "subject": "Ann", "happened_from": WEDDING},
    "Wine lies beneath the stairs.": {"topic": "cellar", "subject": "Ann"},
}
TALK = (
    "How was it?",
    "Cold.",
    "Lilies stood around the pond.",
    "They smelled.",
    "Ducks came.",
    "It rained.",
    "We left.",
)


def claim(entity: Entity, text: str, **values: Any) -> Atom:
    """A claim from a session of its own."""
    said = make_message(entity, f"So: {text}", session=text)
    return make_atom(entity, text, [said], **values)


@pytest.fixture
def garden() -> Entity:
    """One claim holds the word of the question; the others share its topic, its day, or the person alone."""
    entity = make_entity()
    for text, values in CLAIMS.items():
        claim(entity, text, **values)
    for text in TALK:
        make_message(entity, text, session="talk")
    index_entity(entity_id=entity.pk, embedder=EMBEDDER)
    return entity


def found(entity: Entity, query: str = QUESTION, **filters: Any) -> dict[str, Hit]:
    """By words alone, so that the second look finds what no arm did."""
    hits = search(entity, Request(query, filters=Filters(**filters), uses_meaning=False)).hits
    return {hit.text: hit for hit in hits}


def relations(hit: Hit) -> set[str]:
    return {name for name in hit.terms if name.startswith("related_")}


def test_claims_of_the_topic_and_of_the_day_are_found_without_a_word_of_the_question(garden: Entity) -> None:
    assert {text: relations(hit) for text, hit in found(garden).items()} == {
        "Tulips grow beside the fence.": set(),
        "Moss covers the northern wall.": {"related_topic"},
        "The cake had three floors.": {"related_person", "related_time"},
    }


def test_turns_around_a_found_one_are_found_and_no_farther(garden: Entity) -> None:
    hits = found(garden, "Which lilies?")
    assert {text for text, hit in hits.items() if not relations(hit)} == {*TALK[2:4]}, "by their words"
    assert {text for text, hit in hits.items() if relations(hit) == {"related_time"}} == {
        *TALK[2 - TURNS_AROUND : 2],
        *TALK[4 : 4 + TURNS_AROUND],
    }


def test_the_terms_are_the_whole_score(garden: Entity) -> None:
    hits = found(garden).values()
    assert [hit.score for hit in hits] == pytest.approx([sum(hit.terms.values()) for hit in hits])
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_what_the_arms_found_scores_as_before(garden: Entity) -> None:
    with_others = found(garden)["Tulips grow beside the fence."].terms
    Atom.objects.for_entity(garden).exclude(text__startswith="Tulips").update(topic="", happened_from=None)
    alone = found(garden)["Tulips grow beside the fence."].terms
    assert {name: with_others[name] for name in with_others if name != "topic"} == {
        name: alone[name] for name in alone if name != "topic"
    }


@pytest.mark.parametrize(
    ("filters", "texts"),
    [
        ({"layers": (Layer.ATOM,)}, {*list(CLAIMS)[:3]}),
        ({"layers": (Layer.SECTION,)}, set()),
        ({"kinds": ("episodic",)}, {"Tulips grow beside the fence.", "The cake had three floors."}),
        ({"topics": ("garden",)}, {*list(CLAIMS)[:2]}),
        ({"since": SAID_AT + timedelta(days=1)}, set()),
        ({"until": SAID_AT}, set()),
    ],
    ids=["layer", "another layer", "kind", "topic", "since", "until"],
)
def test_filters_hold_for_what_is_around(garden: Entity, filters: Any, texts: set[str]) -> None:
    assert set(found(garden, **filters)) == texts


def test_a_filter_by_time_leaves_out_what_is_around_and_older(garden: Entity) -> None:
    old = claim(garden, "Roses were cut.", topic="garden")
    Atom.objects.filter(pk=old.pk).update(occurred_at=SAID_AT - timedelta(days=9))
    index_entity(entity_id=garden.pk, embedder=EMBEDDER)
    assert "Roses were cut." in found(garden)
    assert "Roses were cut." not in found(garden, since=SAID_AT)


def test_only_turns_of_the_wanted_session_are_around(garden: Entity) -> None:
    talk, other = (
        Session.objects.get(external_id=name) for name in ("talk", "Wine lies beneath the stairs.")
    )
    assert set(found(garden, "Which lilies?", session=talk.pk)) == {*TALK[:6]}
    assert found(garden, "Which lilies?", session=other.pk) == {}


@pytest.mark.parametrize("status", [Atom.Status.RETRACTED, Atom.Status.CONTESTED])
def test_what_no_longer_holds_is_not_around(garden: Entity, status: str) -> None:
    Atom.objects.for_entity(garden).filter(text__startswith="Moss").update(status=status)
    assert "Moss covers the northern wall." not in found(garden)


def test_a_superseded_claim_is_not_around_and_what_replaced_it_is(garden: Entity) -> None:
    old = Atom.objects.for_entity(garden).get(text__startswith="Moss")
    claim(garden, "Ivy covers the northern wall.", topic="garden", replaces=old)
    index_entity(entity_id=garden.pk, embedder=EMBEDDER)
    hits = found(garden)
    assert "Moss covers the northern wall." not in hits
    assert relations(hits["Ivy covers the northern wall."]) == {"related_topic"}


def test_another_entity_is_never_around(garden: Entity) -> None:
    for workspace in (garden.workspace, make_workspace("other")):
        other = make_entity("agent.other", workspace=workspace)
        for text, values in CLAIMS.items():
            claim(other, f"Other: {text}", **values)
        index_entity(entity_id=other.pk, embedder=EMBEDDER)
    assert set(found(garden)) == {*list(CLAIMS)[:3]}


def test_of_a_large_topic_the_newest_claims_are_around(garden: Entity) -> None:
    for number in range(2 * CLAIMS_OF_EACH):
        claim(garden, f"Bed {number} is dug.", topic="garden")
    index_entity(entity_id=garden.pk, embedder=EMBEDDER)
    assert {text for text in found(garden) if text.startswith("Bed")} == {
        f"Bed {number} is dug." for number in range(CLAIMS_OF_EACH, 2 * CLAIMS_OF_EACH)
    }


def test_nothing_found_has_nothing_around(garden: Entity) -> None:
    assert found(garden, "zeppelin") == {}
