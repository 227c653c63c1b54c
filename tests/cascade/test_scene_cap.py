"""scene_synthesis: at most fifteen live scenes; one too many is asked about once, then joins the nearest."""

from typing import Any

import pytest

from memory.models import Entity, Line, Scene, SceneVersion
from tests.cascade.story import an_entity, answer, create, runs, say, settle, store

pytestmark = pytest.mark.django_db

THINGS = [
    "apples",
    "pears",
    "plums",
    "figs",
    "dates",
    "grapes",
    "limes",
    "lemons",
    "melons",
    "peaches",
    "cherries",
    "olives",
    "nuts",
    "kiwis",
    "mangos",
]


@pytest.fixture
def entity() -> Entity:
    """Fifteen live scenes."""
    entity = an_entity()
    texts = [f"We grow {thing}." for thing in THINGS]
    say(entity, *texts)
    settle(
        entity,
        answer(*(store(text, f"m{n + 1}", topic=THINGS[n]) for n, text in enumerate(texts))),
        answer(
            *(create(THINGS[n].title(), ("core_sop", text, [f"a{n + 1}"])) for n, text in enumerate(texts))
        ),
    )
    return entity


def live(entity: Entity) -> dict[str, list[str]]:
    return {
        version.title: [line.text for line in version.lines.order_by("places__position")]
        for version in SceneVersion.objects.for_entity(entity).live()
    }


def learn(entity: Entity, *texts: str, synthesis: Any) -> list[Any]:
    say(entity, *texts)
    claims = answer(*(store(text, f"m{n + 1}") for n, text in enumerate(texts)))
    model = settle(entity, l1_extract=claims, scene_synthesis=synthesis)
    return [request for request in model.requests if request.task == "scene_synthesis"]


def notes(entity: Entity, outcome: str) -> list[str]:
    run = runs(entity, "scene_synthesis")[-1]
    return [entry["reason"] for entry in run.decisions if entry["outcome"] == outcome]


def test_fifteen_scenes_have_the_fifteen_slots(entity: Entity) -> None:
    assert set(Scene.objects.for_entity(entity).values_list("slot", flat=True)) == set(range(1, 16))


def test_a_create_too_many_is_asked_about_once_and_then_joins_the_nearest_scene(entity: Entity) -> None:
    text = "We grow quinces beside the plums."
    requests = learn(entity, text, synthesis=answer(create("Quinces", ("core_sop", text, ["a1"]))))
    assert len(requests) == 2
    assert "15 scenes live already: merge two first, or update the nearest." in requests[1].user
    scenes = live(entity)
    assert (len(scenes), scenes["Plums"]) == (15, ["We grow plums.", text])
    assert notes(entity, "repaired") == ["«Quinces» joined «Plums»: 15 scenes live already"]
    assert [line.scene.versions.count() for line in Line.objects.filter(text=text)] == [2]


@pytest.mark.parametrize("is_merge_first", [True, False])
def test_a_merge_anywhere_in_the_answer_makes_room_for_a_create(entity: Entity, is_merge_first: bool) -> None:
    text = "We grow quinces."
    items = [
        {"action": "merge", "scene": "s7", "merged": ["s8"], "title": "Citrus"},
        create("Quinces", ("core_sop", text, ["a1"])),
    ]
    requests = learn(entity, text, synthesis=answer(*(items if is_merge_first else items[::-1])))
    scenes = live(entity)
    assert (len(requests), len(scenes), scenes["Quinces"], scenes["Citrus"]) == (
        1,
        15,
        [text],
        ["We grow limes.", "We grow lemons."],
    )


def test_a_retire_makes_room_too(entity: Entity) -> None:
    text = "We grow quinces instead of kiwis."
    learn(
        entity,
        text,
        synthesis=answer(
            create("Quinces", ("core_sop", text, ["a1"])),
            {"action": "retire", "scene": "s14", "reason": "no kiwis any more"},
        ),
    )
    scenes = live(entity)
    assert (len(scenes), "Kiwis" in scenes, scenes["Quinces"]) == (15, False, [text])


def test_a_corrected_answer_that_merges_is_taken(entity: Entity) -> None:
    text = "We grow quinces."
    say(entity, text)
    bad = create("Quinces", ("core_sop", text, ["a1"]))
    settle(
        entity,
        answer(store(text)),
        answer(bad),
        answer({"action": "merge", "scene": "s7", "merged": ["s8"]}, bad),
    )
    scenes = live(entity)
    assert (len(scenes), scenes["Quinces"], scenes["Limes"]) == (
        15,
        [text],
        ["We grow limes.", "We grow lemons."],
    )


def test_two_creates_too_many_never_fill_one_scene_beyond_its_limit(entity: Entity) -> None:
    claim = "We grow quinces and medlars."
    padding = "and we grow quinces and medlars " * 30
    lines = [("core_sop", f"Bed {n}: we grow quinces {padding}.", ["a1"]) for n in range(5)]
    texts = [f"Bed {n}: we grow quinces and medlars." for n in range(5)]
    learn(
        entity,
        claim,
        *texts,
        synthesis=answer(
            create("Quinces", *((s, t, [f"a{n + 2}"]) for n, (s, t, _) in enumerate(lines))),
            create("Medlars", *((s, f"Also {t}", [f"a{n + 2}"]) for n, (s, t, _) in enumerate(lines))),
        ),
    )
    lengths = [sum(map(len, texts)) for texts in live(entity).values()]
    assert (len(lengths), max(lengths) <= 6_000, sum(length > 4_000 for length in lengths)) == (15, True, 2)
