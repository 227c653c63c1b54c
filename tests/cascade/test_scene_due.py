"""scene_synthesis: lines whose claim no longer holds are rewritten, or taken out by code."""

from dataclasses import replace
from typing import Any

import pytest

from memory.cascade import work
from memory.cascade.engine import settle_entity
from memory.llm.protocol import ModelReply
from memory.models import Atom, Entity, Evidence, Line, Message, Scene, SceneVersion, Section, Step
from tests.cascade.story import (
    NOTHING,
    an_entity,
    answer,
    create,
    merge,
    replaced,
    runs,
    say,
    settle,
    store,
    update,
)
from tests.scripted_model import Script, ScriptedModel, by_task

pytestmark = pytest.mark.django_db

OLD, NEW = "The freeze is on 2 May.", "The freeze is on 9 May."


@pytest.fixture
def entity() -> Entity:
    """A scene with a line that is about to go stale, and one that stays."""
    entity = an_entity()
    say(entity, OLD, "It ships monthly.")
    settle(
        entity,
        answer(store(OLD, "m1", topic="release"), store("It ships monthly.", "m2", topic="release")),
        answer(create("Release", ("core_sop", "It ships monthly.", ["a2"]), ("related_tasks", OLD, ["a1"]))),
    )
    return entity


def supersede(entity: Entity, *, synthesis: Any) -> ScriptedModel:
    say(entity, NEW)

    def replace_old(request: Any) -> Any:
        old = next(atom.handle for atom in request.payload.atoms if atom.text == OLD)
        return answer(merge(NEW, [old], topic="release"))

    return settle(entity, l1_extract=replace_old, scene_synthesis=synthesis)


def due(request: Any) -> list[str]:
    return [line.handle for scene in request.payload.scenes for line in scene.lines if line.is_due]


def head_lines(entity: Entity) -> list[tuple[str, str]]:
    places = SceneVersion.objects.for_entity(entity).live().order_by("scene__slot", "places__position")
    return list(places.values_list("lines__section", "lines__text"))


def dead_below_live_lines(entity: Entity) -> int:
    """Receipts of a settled scene for dead claims, outside its Evolution Record."""
    return (
        Evidence.objects.filter(
            entity=entity,
            of_line__places__version__is_head=True,
            of_line__places__version__scene__status="live",
            of_line__is_pinned=False,
        )
        .exclude(of_line__section=Section.EVOLUTION_RECORD)
        .exclude(atom__status="live")
        .exclude(atom=None)
        .count()
    )


def test_a_line_whose_claim_was_superseded_is_shown_as_due_and_can_be_rewritten(entity: Entity) -> None:
    model = supersede(
        entity,
        synthesis=lambda request: answer(
            update(
                "s1",
                replaced(due(request)[0], "related_tasks", NEW, ["a1"]),
                {
                    "op": "add",
                    "section": "evolution_record",
                    "text": "The freeze moved from 2 May to 9 May.",
                    "atoms": ["a1", "a2"],
                },
            )
        ),
    )
    [request] = [request for request in model.requests if request.task == "scene_synthesis"]
    assert "DUE" in request.user
    assert head_lines(entity) == [
        ("core_sop", "It ships monthly."),
        ("related_tasks", NEW),
        ("evolution_record", "The freeze moved from 2 May to 9 May."),
    ]
    assert dead_below_live_lines(entity) == 0


def test_a_due_line_that_the_answer_leaves_is_taken_out_by_code(entity: Entity) -> None:
    supersede(entity, synthesis=NOTHING)
    gone = Line.objects.get(text=OLD)
    assert head_lines(entity) == [("core_sop", "It ships monthly.")]
    run = runs(entity, "scene_synthesis")[-1]
    assert {
        "outcome": "repaired",
        "reason": "rested on what no longer holds and was not rewritten",
        "line": str(gone.pk),
    } in run.decisions
    assert gone.versions.get().number == 1


def test_the_words_of_a_due_line_may_come_back_on_a_claim_that_holds(entity: Entity) -> None:
    words = "It ships monthly."
    Atom.objects.filter(text=words).update(status="retracted")
    say(entity, "It still ships monthly.")
    settle(
        entity,
        answer(store("It still ships monthly.", topic="release")),
        answer(update("s1", {"op": "add", "section": "core_sop", "text": words, "atoms": ["a1"]})),
    )
    assert head_lines(entity) == [("core_sop", words), ("related_tasks", OLD)]
    assert dead_below_live_lines(entity) == 0


@pytest.mark.parametrize("status", ["superseded", "contested", "retracted"])
def test_no_new_line_rests_on_a_dead_claim_outside_the_evolution_record(entity: Entity, status: str) -> None:
    Atom.objects.filter(text=OLD).update(status=status)
    say(entity, "The freeze is over.")
    items = [
        update(
            "s1",
            {"op": "add", "section": section, "text": OLD, "atoms": ["a3"]},
        )
        for section in ("key_evidence", "evolution_record")
    ]
    settle(entity, answer(store("The freeze is over.", topic="release")), scene_synthesis=answer(*items))
    assert head_lines(entity) == [("core_sop", "It ships monthly."), ("evolution_record", OLD)]
    assert [
        e["reason"] for e in runs(entity, "scene_synthesis")[-1].decisions if e["outcome"] == "dropped"
    ] == [f"«{OLD}» no longer holds; outside evolution_record nothing rests on it."]


def test_due_lines_alone_wake_the_step(entity: Entity) -> None:
    Atom.objects.filter(text=OLD).update(status="retracted")
    work.mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=Step.SCENE_SYNTHESIS)
    model = settle(entity)
    assert model.tasks == ["scene_synthesis", "persona"]
    assert head_lines(entity) == [("core_sop", "It ships monthly.")]


def test_a_scene_whose_every_line_is_due_and_left_is_retired(entity: Entity) -> None:
    Atom.objects.update(status="retracted")
    settle(entity)
    assert (head_lines(entity), Scene.objects.get().status) == ([], "retired")


def test_due_lines_of_a_scene_that_is_merged_away_do_not_survive_the_merge(entity: Entity) -> None:
    say(entity, "Deploys need a review.")
    settle(
        entity,
        answer(store("Deploys need a review.", topic="deploys")),
        answer(create("Deploys", ("core_sop", "Deploys need a review.", ["a1"]))),
    )
    supersede(entity, synthesis=answer({"action": "merge", "scene": "s2", "merged": ["s1"]}))
    assert head_lines(entity) == [("core_sop", "It ships monthly."), ("core_sop", "Deploys need a review.")]
    assert dead_below_live_lines(entity) == 0


def test_more_due_scenes_than_can_be_shown_are_all_settled() -> None:
    entity = an_entity()
    texts = [f"Matter {number} is open." for number in range(5)]
    say(entity, *texts)
    settle(
        entity,
        answer(*(store(text, f"m{n + 1}", topic=f"matter {n}") for n, text in enumerate(texts))),
        answer(*(create(f"Matter {n}", ("core_sop", text, [f"a{n + 1}"])) for n, text in enumerate(texts))),
    )
    Atom.objects.update(status="retracted")
    settle(entity)
    assert (head_lines(entity), set(Scene.objects.values_list("status", flat=True))) == ([], {"retired"})


def test_due_lines_that_no_model_can_bear_are_taken_out_instead_of_failing_for_ever(
    entity: Entity, settings: Any
) -> None:
    without_pauses(settings)
    supersede_with_failing_synthesis(entity)
    assert dead_below_live_lines(entity) == 0
    assert Atom.objects.for_entity(entity).parked().count() == 1
    Atom.objects.filter(text="It ships monthly.").update(status="retracted")
    before = len(runs(entity, "scene_synthesis"))
    settle_entity(entity, model=failing())
    assert (head_lines(entity), len(runs(entity, "scene_synthesis")) - before) == ([], 3)
    assert set(work.pending_counts(entity).values()) == {0}


def supersede_with_failing_synthesis(entity: Entity) -> None:
    say(entity, NEW)
    settle_entity(entity, model=failing())


def failing() -> ScriptedModel:
    def extract(request: Any) -> Any:
        old = next(atom.handle for atom in request.payload.atoms if atom.text == OLD)
        return answer(merge(NEW, [old], topic="release"))

    refused = ModelReply(text="I must refuse.", model="m", finish_reason="refusal")
    answers: dict[str, Script] = {"l1_extract": extract, "scene_synthesis": refused, "persona": NOTHING}
    return ScriptedModel(otherwise=by_task(answers))


def without_pauses(settings: Any) -> None:
    waking = replace(settings.MEMSEEK.waking, retry_seconds=(0.0,))
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)


def test_a_step_that_fails_leaves_every_message_claim_and_version_as_it_was(entity: Entity) -> None:
    before = head_lines(entity)
    say(entity, "Something new.")
    settle(entity, l1_extract=answer(store("Something new.")), scene_synthesis="no JSON at all")
    assert head_lines(entity) == before
    assert work.pending_counts(entity)[Step.SCENE_SYNTHESIS] == 1
    assert Message.objects.for_entity(entity).pending().count() == 0
