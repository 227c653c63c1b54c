"""Results read from their rows: a scene shows of a section what stands."""

from __future__ import annotations

from collections import defaultdict
from uuid import UUID

import pytest

from memory.models import Atom, Entity, Layer, Line, Scene, SceneVersion, Section
from memory.recall.ladder import standing_places
from memory.recall.results import Group, read_hits
from tests.factories import NewLine, make_atom, make_entity, make_message, make_next_version, make_scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    """Lines on claims that hold and that do not, of two scenes; one of them in its second version."""
    entity = make_entity()
    message = make_message(entity, "We use Express, and we may move to Fastify.")
    holds = make_atom(entity, "The service uses Express.", [message])
    gone = make_atom(entity, "The service uses Fastify.", [message])
    lines = [
        NewLine("key_evidence", "It uses Express.", [holds]),
        NewLine("key_evidence", "It uses Fastify.", [gone]),
        NewLine("key_evidence", "Both are weighed.", [holds, gone]),
        NewLine("key_evidence", "A person wants Fastify kept here.", [gone]),
        NewLine("evolution_record", "It used Fastify.", [gone]),
    ]
    first = make_scene(entity, "Service", lines)
    make_next_version(first, added=[NewLine("key_evidence", "Express is fast.", [holds])])
    make_scene(entity, "Choices", [NewLine("key_evidence", "Express was chosen.", [holds])])
    make_scene(entity, "Left", [NewLine("key_evidence", "Nobody asks for it.", [holds])])
    Line.objects.filter(text__startswith="A person").update(is_pinned=True)
    Atom.objects.filter(pk=gone.pk).update(status="retracted")
    return entity


def groups(entity: Entity, titles: tuple[str, ...]) -> list[Group]:
    """Every section of some scenes as something that was found."""
    scenes = Scene.objects.for_entity(entity).filter(versions__title__in=titles).distinct()
    return [Group(Layer.SECTION, scene.pk, section) for scene in scenes for section in Section.values]


def test_the_standing_lines_of_each_section_found_are_read(entity: Entity) -> None:
    hits = read_hits(entity, groups(entity, ("Service", "Choices")), None)
    assert [(hit.title, hit.section, hit.text.splitlines()) for hit in hits] == [
        (
            "Service",
            "key_evidence",
            ["It uses Express.", "A person wants Fastify kept here.", "Express is fast."],
        ),
        ("Service", "evolution_record", ["It used Fastify."]),
        ("Choices", "key_evidence", ["Express was chosen."]),
    ]


def test_they_are_those_that_the_pages_show(entity: Entity) -> None:
    heads = {head.pk: head.scene_id for head in SceneVersion.objects.for_entity(entity).live()}
    shown: dict[tuple[UUID, str], list[UUID]] = defaultdict(list)
    for place in standing_places(heads):
        shown[heads[place.version_id], place.line.section].append(place.line_id)
    hits = read_hits(entity, groups(entity, ("Service", "Choices", "Left")), None)
    assert {(hit.id, hit.section): list(hit.lines) for hit in hits} == shown


def test_a_scene_that_has_ended_and_one_of_somebody_else_show_nothing(entity: Entity) -> None:
    found = groups(entity, ("Service", "Choices"))
    other = make_entity("agent.bob-test")
    assert read_hits(other, found, None) == ()
    Scene.objects.for_entity(entity).update(status="retired", slot=None)
    assert read_hits(entity, found, None) == ()
