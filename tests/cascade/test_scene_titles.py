"""Titles are held to their claims: a bad one is left with a note, the edit stays."""

from __future__ import annotations

from typing import Any

import pytest

from memory.models import Entity, SceneVersion
from tests.cascade.story import an_entity, answer, create, runs, say, settle, store

pytestmark = pytest.mark.django_db

TEXT = "The depot opens in May."


@pytest.fixture
def entity() -> Entity:
    return an_entity()


def synthesized(entity: Entity, text: str, synthesis: dict[str, Any]) -> tuple[str, list[str]]:
    """The title of the one scene, and what the run repaired."""
    say(entity, text)
    settle(entity, l1_extract=answer(store(text, topic="depot opening")), scene_synthesis=answer(synthesis))
    run = runs(entity, "scene_synthesis")[-1]
    notes = [entry["reason"] for entry in run.decisions if entry["outcome"] == "repaired"]
    return SceneVersion.objects.for_entity(entity).live().get().title, notes


def test_a_grounded_title_stays(entity: Entity) -> None:
    edit = create("Depot Opening", ("work_context", TEXT, ["a1"]))
    assert synthesized(entity, TEXT, edit) == ("Depot Opening", [])


def test_a_title_that_names_what_no_claim_holds_gives_way_to_the_topic(entity: Entity) -> None:
    edit = create("Bertrand's Depot", ("work_context", TEXT, ["a1"]))
    assert synthesized(entity, TEXT, edit) == (
        "Depot opening",
        ["the title «Bertrand's Depot» was left: its claims do not hold Bertrand"],
    )


def test_an_update_with_such_a_title_keeps_the_old_one(entity: Entity) -> None:
    synthesized(entity, TEXT, create("Depot Opening", ("work_context", TEXT, ["a1"])))
    text = "The depot has two gates."
    lines = [{"op": "add", "section": "work_context", "text": text, "atoms": ["a1"]}]
    edit = {"action": "update", "scene": "s1", "title": "Depot Opening 2031", "lines": lines}
    assert synthesized(entity, text, edit) == (
        "Depot Opening",
        ["the title «Depot Opening 2031» was left: its claims do not hold 2031"],
    )
