"""scene_synthesis: create, update, merge, retire; what stands keeps its rows with their receipts."""

import pytest

from memory.models import Evidence, Line, Run, Scene
from tests.cascade.scenes import a_scene, dropped, evidence, heads, ids, learn, lines
from tests.cascade.story import added, an_entity, answer, create, replaced, runs, update

pytestmark = pytest.mark.django_db


def test_a_new_scene_has_its_lines_in_the_order_of_the_sections() -> None:
    entity = an_entity()
    texts = [f"Statement about {word}." for word in ("apples", "pears", "plums", "figs")]
    sections = ["open_questions", "core_sop", "work_context", "core_sop"]
    learn(
        entity,
        *texts,
        synthesis=answer(
            create(
                "Fruit",
                *((s, t, [f"a{n + 1}"]) for n, (s, t) in enumerate(zip(sections, texts, strict=True))),
            )
        ),
    )
    [head] = heads(entity)
    assert lines(head) == [
        ("work_context", texts[2]),
        ("core_sop", texts[1]),
        ("core_sop", texts[3]),
        ("open_questions", texts[0]),
    ]
    assert (head.number, head.is_head, head.scene.slot, head.scene.status, head.scene.heat) == (
        1,
        True,
        1,
        "live",
        1,
    )


def test_several_contexts_of_one_batch_open_several_scenes() -> None:
    entity = an_entity()
    learn(
        entity,
        "The oven runs at 200 degrees.",
        "The car needs oil.",
        synthesis=answer(
            create("Kitchen", ("core_sop", "The oven runs at 200 degrees.", ["a1"])),
            create("Garage", ("core_sop", "The car needs oil.", ["a2"])),
        ),
    )
    assert [(head.title, head.scene.slot) for head in heads(entity)] == [("Kitchen", 1), ("Garage", 2)]
    assert len(set(Scene.objects.values_list("slug", flat=True))) == 2


def test_unchanged_lines_are_the_same_rows_with_the_same_evidence() -> None:
    entity = an_entity()
    first = a_scene(entity, "It ships monthly.", "It ships on Mondays.", "Ship small parts.")
    before = ids(first)
    receipts = set(Evidence.objects.filter(of_line__in=before.values()).values_list("pk", flat=True))
    learn(
        entity,
        "Never ship on Fridays.",
        synthesis=lambda request: answer(
            update(
                "s1",
                {"op": "remove", "line": "s1.l2"},
                added("prohibitions", "Never ship on Fridays.", ["a1"]),
            )
        ),
    )
    [second] = heads(entity)
    after = ids(second)
    assert (second.number, second.scene) == (2, first.scene)
    assert after["It ships monthly."] == before["It ships monthly."]
    assert after["Ship small parts."] == before["Ship small parts."]
    assert set(after) == {"It ships monthly.", "Ship small parts.", "Never ship on Fridays."}
    assert set(Evidence.objects.filter(of_line__in=before.values()).values_list("pk", flat=True)) == receipts
    first.refresh_from_db()
    assert (first.is_head, set(ids(first))) == (False, set(before))


def test_a_replaced_line_stands_in_its_place_and_the_old_one_in_the_version_before() -> None:
    entity = an_entity()
    first = a_scene(entity, "It ships monthly.", "It ships on Mondays.")
    learn(
        entity,
        "It ships on Tuesdays.",
        synthesis=answer(update("s1", replaced("s1.l2", "applies_when", "It ships on Tuesdays.", ["a1"]))),
    )
    [second] = heads(entity)
    assert [text for _, text in lines(second)] == ["It ships monthly.", "It ships on Tuesdays."]
    assert [text for _, text in lines(first)] == ["It ships monthly.", "It ships on Mondays."]
    assert evidence(second.lines.get(text="It ships on Tuesdays.")) == {"It ships on Tuesdays."}


def test_a_new_line_may_rest_on_several_claims() -> None:
    entity = an_entity()
    learn(
        entity,
        "It ships monthly.",
        "It ships on Mondays.",
        synthesis=answer(
            create("Release", ("core_sop", "It ships monthly, on Mondays.", ["a1", "a2", "a1"]))
        ),
    )
    assert evidence(Line.objects.get()) == {"It ships monthly.", "It ships on Mondays."}


def test_words_that_stand_already_make_no_new_version() -> None:
    entity = an_entity()
    first = a_scene(entity, "It ships monthly.")
    learn(
        entity,
        "It really ships monthly.",
        synthesis=answer(update("s1", added("work_context", "It ships monthly.", ["a1"]))),
    )
    assert heads(entity) == [first]
    run = runs(entity, "scene_synthesis")[-1]
    assert [(entry["outcome"], entry["reason"]) for entry in run.decisions] == [
        ("left out", "no new line names it")
    ]


def test_a_line_that_is_removed_and_added_in_the_same_words_is_not_lost() -> None:
    entity = an_entity()
    a_scene(entity, "It ships monthly.", "It ships on Mondays.")
    learn(
        entity,
        "It really ships monthly.",
        synthesis=answer(
            update(
                "s1",
                {"op": "remove", "line": "s1.l1"},
                added("work_context", "It ships monthly.", ["a1"]),
                added("work_context", "It ships monthly.", ["a1"]),
            )
        ),
    )
    [head] = heads(entity)
    assert lines(head) == [("work_context", "It ships monthly."), ("applies_when", "It ships on Mondays.")]
    assert evidence(head.lines.get(text="It ships monthly.")) == {"It really ships monthly."}


def test_two_scenes_are_merged_in_one_version_and_their_lines_move_with_their_receipts() -> None:
    entity = an_entity()
    release = a_scene(entity, "It ships monthly.")
    deploys = a_scene(entity, "Deploys need a review.", title="Deploys")
    before = {**ids(release), **ids(deploys)}
    learn(
        entity,
        "A deploy is a release.",
        synthesis=answer(
            {
                "action": "merge",
                "scene": "s1",
                "merged": ["s2"],
                "title": "Releases",
                "lines": [added("decision_logic", "A deploy is a release.", ["a1"])],
                "reason": "the same method",
            }
        ),
    )
    [head] = heads(entity)
    assert (head.title, head.number, head.scene) == ("Releases", 2, release.scene)
    assert {text: row for text, row in ids(head).items() if text in before} == before
    assert len(head.lines.all()) == 3
    gone = Scene.objects.get(pk=deploys.scene_id)
    assert (gone.status, gone.merged_into, gone.slot) == ("merged", release.scene, None)
    assert set(ids(gone.versions.get(is_head=True))) == {"Deploys need a review."}
    [run] = Run.objects.filter(step="scene_synthesis").order_by("-started_at")[:1]
    assert {entry["outcome"] for entry in run.decisions} == {"updated", "merged"}


def test_a_merge_needs_another_live_scene() -> None:
    entity = an_entity()
    a_scene(entity, "It ships monthly.")
    learn(
        entity,
        "It ships weekly.",
        synthesis=answer(
            {"action": "merge", "scene": "s1", "merged": ["s1"]},
            {"action": "merge", "scene": "s1", "merged": []},
            {"action": "merge", "scene": "s1", "merged": ["s2"]},
        ),
    )
    assert dropped(entity) == [
        "A merge names in merged the other scenes, at least one.",
        "A merge names in merged the other scenes, at least one.",
        "“s2” was not offered; offered were a1 to a2, s1.",
    ]


def test_an_obsolete_scene_is_retired_and_can_still_be_read() -> None:
    entity = an_entity()
    first = a_scene(entity, "It ships monthly.")
    retire = {"action": "retire", "scene": "s1"}
    learn(entity, "The product is gone.", synthesis=answer(retire))
    assert dropped(entity) == ["Say why the scene is obsolete."]
    learn(
        entity, "The product is really gone.", synthesis=answer({**retire, "reason": "the product is gone"})
    )
    first.refresh_from_db()
    scene = Scene.objects.get()
    assert (heads(entity), scene.status, scene.slot, first.is_head) == ([], "retired", None, True)
    assert lines(first) == [("work_context", "It ships monthly.")]


def test_a_scene_that_loses_its_last_line_is_retired() -> None:
    entity = an_entity()
    a_scene(entity, "It ships monthly.")
    learn(
        entity, "Forget the monthly thing.", synthesis=answer(update("s1", {"op": "remove", "line": "s1.l1"}))
    )
    assert (heads(entity), Scene.objects.get().status) == ([], "retired")


def test_a_retired_scenes_slot_is_free_again() -> None:
    entity = an_entity()
    a_scene(entity, "It ships monthly.")
    learn(
        entity,
        "The oven is new.",
        synthesis=answer(
            create("Kitchen", ("work_context", "The oven is new.", ["a1"])),
            {"action": "retire", "scene": "s1", "reason": "gone"},
        ),
    )
    assert [(head.title, head.scene.slot) for head in heads(entity)] == [("Kitchen", 1)]
