"""Related scenes become one at the cap, under a title that a person would give."""

from datetime import UTC, datetime

import pytest

from memory.cascade.contract import OfferedAtom, OfferedScene, SynthesisPayload
from memory.llm.offline.scenes import synthesize
from memory.llm.offline.titles import grounded_title, personal_title
from tests.llm.offline.ladder import Ladder


def scene(handle: str, title: str, *topics: str, characters: int = 400) -> OfferedScene:
    return OfferedScene(handle, title, "", topics, len(topics), False, characters=characters)


def new(handle: str, text: str, topic: str) -> OfferedAtom:
    said_at = datetime(2026, 5, 2, tzinfo=UTC)
    return OfferedAtom(
        handle, text, "episodic", 60, topic, "Nora", "user", "live", said_at, is_new=True
    )  # fmt: skip


def edits(
    *scenes: OfferedScene, atoms: tuple[OfferedAtom, ...], cap: int | None = None
) -> list[tuple[str, str, list[str], str, list[str]]]:
    payload = SynthesisPayload("e", "UTC", atoms, scenes, scene_cap=cap or len(scenes))
    return [
        (edit.action, edit.scene, edit.merged, edit.title, [line.text for line in edit.lines])
        for edit in synthesize(payload).items
    ]


def test_the_two_closest_scenes_make_room_for_a_new_one() -> None:
    found = edits(
        scene("s1", "Nora's painting", "Nora's painting", characters=900),
        scene("s2", "Nora's pottery", "Nora's pottery"),
        scene("s3", "Ben's career", "Ben's career"),
        atoms=(new("a1", "Nora bought a greenhouse.", "Nora's garden"),),
    )
    assert found == [
        ("merge", "s1", ["s2"], "Nora's painting and pottery", []),
        ("create", "", [], "Nora's garden", ["Nora bought a greenhouse."]),
    ]


def test_a_new_matter_joins_the_scene_that_is_closest_to_it() -> None:
    found = edits(
        scene("s1", "Nora's painting", "Nora's painting"),
        scene("s2", "Ben's career", "Ben's career"),
        atoms=(new("a1", "Nora bought a kiln.", "Nora's pottery"),),
    )
    assert found == [("update", "s1", [], "Nora's painting and pottery", ["Nora bought a kiln."])]


def test_what_is_placed_before_and_after_a_merge_stands_in_the_merged_scene() -> None:
    found = edits(
        scene("s1", "Nora's painting", "Nora's painting", characters=900),
        scene("s2", "Nora's pottery", "Nora's pottery"),
        scene("s3", "Ben's career", "Ben's career"),
        atoms=(
            new("a1", "Nora broke the kiln.", "Nora's pottery"),
            new("a2", "Nora bought a greenhouse.", "Nora's garden"),
            new("a3", "Nora sold a painting.", "Nora's painting"),
        ),
    )
    assert found == [
        (
            "merge",
            "s1",
            ["s2"],
            "Nora's painting and pottery",
            ["Nora broke the kiln.", "Nora sold a painting."],
        ),
        ("create", "", [], "Nora's garden", ["Nora bought a greenhouse."]),
    ]


def test_pieces_of_work_that_share_nothing_are_not_merged() -> None:
    found = edits(
        scene("s1", "Office Move", "office move"),
        scene("s2", "Billing Rewrite", "billing rewrite"),
        atoms=(new("a1", "The billing audit is late.", "billing audit"),),
    )
    assert found == [("update", "s2", [], "", ["The billing audit is late."])]


def test_small_unrelated_things_are_filed_together() -> None:
    found = edits(
        scene("s1", "Parking", "parking", characters=60),
        scene("s2", "Lunch", "lunch", characters=40),
        scene("s3", "Office Move", "office move"),
        atoms=(new("a1", "The payments migration is under way.", "payments migration"),),
    )
    assert found == [
        ("merge", "s1", ["s2"], "Various Notes", []),
        ("create", "", [], "Payments Migration", ["The payments migration is under way."]),
    ]


def test_a_title_that_a_person_wrote_stays() -> None:
    found = edits(
        scene("s1", "My wild brushes", "Nora's painting"),
        atoms=(new("a1", "Nora bought a kiln.", "Nora's pottery"),),
    )
    assert found == [("update", "s1", [], "", ["Nora bought a kiln."])]


@pytest.mark.parametrize(
    ("counts", "title"),
    [
        ({"Nora's music": 3}, "Nora's music"),
        ({"Nora's music": 3, "Nora's dance": 3, "Nora's art": 3}, "Nora's art, music and dance"),
        ({"Nora's music": 30, "Nora's dance": 1}, "Nora's music"),
        ({"Nora's music": 2, "Nora's dance": 2, "Nora's art": 2, "Nora's crafts": 2, "Nora's painting": 2,
          "Nora's pottery": 2}, "Nora's arts"),
        ({"Nora's music": 1, "Nora's food": 1, "Nora's books": 1, "Nora's health": 1, "Nora's career": 1,
          "Nora's faith": 1}, "Nora's everyday life"),
        ({"Nora's food": 2, "Ben's food": 2}, "Food of Ben and Nora"),
        ({"Ida's food": 2}, "Food"),
    ],
)  # fmt: skip
def test_a_persons_scene_is_named_by_what_most_of_it_is_about(counts: dict[str, int], title: str) -> None:
    assert personal_title(counts, frozenset({"nora", "ben"})) == title


@pytest.mark.parametrize(
    ("topic", "said", "title"),
    [
        ("billing API migration", {"api"}, "Billing API Migration"),
        ("billing API migration", set(), "Billing Migration"),
        ("working with Nora", {"nora"}, "Working with Nora"),
        ("working with Nora", set(), "Working agreements"),
        ("Q3 roadmap", set(), "Roadmap"),
    ],
)
def test_a_title_leaves_out_names_and_numbers_that_are_not_said(
    topic: str, said: set[str], title: str
) -> None:
    assert grounded_title(topic, said) == title


def test_a_title_gains_the_name_when_it_is_said() -> None:
    payload = SynthesisPayload(
        "e",
        "UTC",
        (new("a1", "Nora sails.", "Nora's time in nature"),),
        (scene("s1", "Time in nature", "Nora's time in nature"),),
    )
    assert [edit.title for edit in synthesize(payload).items] == ["Nora's time in nature"]


LIVES = (
    ("Nora", "I bought a kiln for my pottery last week."),
    ("Ben", "My dog ate my sandwich yesterday."),
    ("Nora", "I love painting landscapes."),
    ("Ben", "I run a marathon every autumn."),
    ("Nora", "I went camping with a new tent in May."),
    ("Ben", "I play the piano every evening."),
    ("Nora", "My sister lives in Porto."),
    ("Ben", "I work as a nurse at the hospital."),
    ("Nora", "I baked bread on Sunday."),
    ("Ben", "I planted tulips in the garden."),
)


@pytest.mark.parametrize("cuts", [(), (1,), (3, 4), (2, 5, 8), tuple(range(1, 10))])
def test_any_split_fills_and_merges_scenes_alike(cuts: tuple[int, ...]) -> None:
    whole, parted = Ladder(), Ladder()
    for place, (speaker, text) in enumerate(LIVES):
        for ladder in (whole, parted):
            ladder.say(text, speaker=speaker, at=datetime(2026, 6, 1 + place, tzinfo=UTC))
        if place + 1 in cuts:
            parted.synthesize(cap=4)
    for ladder in (whole, parted):
        ladder.synthesize(cap=4)
        ladder.characterize()
    assert told(parted) == told(whole)
    assert len(whole.scenes) <= 4


def told(ladder: Ladder) -> tuple[list[tuple[str, list[tuple[str, str]]]], dict[str, str]]:
    scenes = [
        (scene.title, sorted((line.section, line.text) for line in scene.lines)) for scene in ladder.scenes
    ]
    return sorted(scenes), {slot: trait.text for slot, trait in ladder.traits.items()}
