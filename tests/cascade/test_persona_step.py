"""persona: slots that change and no others, stable texts, lines that stand, history that goes on."""

from typing import Any

import pytest

from memory.cascade import work
from memory.models import (
    Atom,
    Correction,
    Entity,
    Evidence,
    Line,
    Scene,
    SceneVersion,
    Step,
    Trait,
    TraitVersion,
)
from tests.cascade.story import NOTHING, added, an_entity, answer, create, runs, say, settle, store, update
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


def learn(entity: Entity, *texts: str, synthesis: Any, persona: Any = NOTHING) -> ScriptedModel:
    """Say texts that become claims word for word; the synthesis and the persona as answered."""
    say(entity, *texts)

    def extract(request: Any) -> Any:
        return answer(*(store(m.text, m.handle, topic="work") for m in request.payload.messages))

    return settle(entity, l1_extract=extract, scene_synthesis=synthesis, persona=persona)


def trait(slot: str, text: str, *lines: str) -> dict[str, Any]:
    return {"action": "set", "slot": slot, "text": text, "lines": list(lines)}


def retract(slot: str, reason: str = "nothing supports it") -> dict[str, Any]:
    return {"action": "retract", "slot": slot, "reason": reason}


def persona_of(entity: Entity) -> dict[str, tuple[str, int]]:
    heads = TraitVersion.objects.for_entity(entity).live().select_related("trait")
    return {head.trait.slot: (head.text, head.number) for head in heads}


def history(entity: Entity, slot: str) -> list[tuple[int, str, bool]]:
    rows = TraitVersion.objects.for_entity(entity).filter(trait__slot=slot).order_by("number")
    return list(rows.values_list("number", "text", "is_head"))


def dropped(entity: Entity) -> list[str]:
    run = runs(entity, "persona")[-1]
    return [entry["reason"] for entry in run.decisions if entry["outcome"] == "dropped"]


@pytest.fixture
def entity() -> Entity:
    """A scene with two lines and two traits."""
    entity = an_entity()
    texts = ("Prefer small batches.", "Answer briefly.")
    learn(
        entity,
        *texts,
        synthesis=answer(
            create("Work", ("core_sop", texts[0], ["a1"]), ("decision_logic", texts[1], ["a2"]))
        ),
        persona=answer(
            trait("decision_pattern", "Prefers small batches.", "s1.l1"),
            trait("interaction_protocol", "Answer briefly.", "s1.l2"),
        ),
    )
    return entity


def test_only_slots_that_change_get_a_version(entity: Entity) -> None:
    learn(
        entity,
        "Ask before you act.",
        synthesis=answer(update("s1", added("core_sop", "Ask before you act.", ["a1"]))),
        persona=answer(
            trait("decision_pattern", "Prefers small batches.", "s1.l1"),
            trait("interaction_protocol", "Answer briefly; ask before you act.", "s1.l3", "s1.l2"),
        ),
    )
    assert persona_of(entity) == {
        "decision_pattern": ("Prefers small batches.", 1),
        "interaction_protocol": ("Answer briefly; ask before you act.", 2),
    }
    assert history(entity, "interaction_protocol") == [
        (1, "Answer briefly.", False),
        (2, "Answer briefly; ask before you act.", True),
    ]
    head = TraitVersion.objects.get(text__contains="ask before")
    assert set(Evidence.objects.filter(of_trait_version=head).values_list("line__text", flat=True)) == {
        "Ask before you act.",
        "Answer briefly.",
    }


@pytest.mark.parametrize(
    "text",
    [
        "Prefers small batches since 2026-05-01.",
        "Prefers small batches by May 5.",
        "Prefers small batches by 5 May.",
        "Prefers small batches in 2026.",
        "Prefers v2.1 small batches.",
        "Prefers small batches of 1.2.3.",
        "Prefers OPS-12 in small batches.",
        "Prefers #42 in small batches.",
        "Prefers small batches next week.",
        "Prefers small batches tomorrow.",
    ],
)
def test_what_passes_is_no_trait(entity: Entity, text: str) -> None:
    learn(
        entity,
        "Something new.",
        synthesis=answer(update("s1", added("core_sop", "Something new.", ["a1"]))),
        persona=answer(trait("decision_pattern", text, "s1.l1", "s1.l2")),
    )
    [reason] = dropped(entity)
    assert reason.endswith("passes: dates, versions and tickets belong to scenes.")
    assert history(entity, "decision_pattern") == [(1, "Prefers small batches.", True)]


@pytest.mark.parametrize(
    "text", ["Prefers UTF-8 in small batches.", "Prefers top-3 small batches.", "Prefers Python 3.11."]
)
def test_what_lasts_may_hold_numbers(entity: Entity, text: str) -> None:
    learn(
        entity,
        text,
        synthesis=answer(update("s1", added("core_sop", text, ["a1"]))),
        persona=lambda request: answer(trait("technical_preferences", text, _handle(request, text))),
    )
    assert persona_of(entity)["technical_preferences"] == (text, 1)


def _handle(request: Any, text: str) -> str:
    handles = {line.text: line.handle for scene in request.payload.scenes for line in scene.lines}
    return str(handles[text])


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (trait("role", "Leads the team."), "A trait names the lines it rests on."),
        (trait("role", "", "s1.l1"), "The text is empty."),
        (trait("role", "Leads Bertrand's team.", "s1.l1"), "The lines it rests on do not hold: Bertrand."),
        (trait("role", "Works like Zorblatt.", "s1.l1"), "It repeats an example of the prompt."),
        (
            trait("role", "Leads the team.", "s2.l1"),
            "“s2.l1” was not offered; offered were a1 to a3, s1, t1 to t2.",
        ),
        (trait("role", "Leads the team.", "a1"), "a1 names an atom; a line is wanted here."),
        (retract("role"), "There is no trait in role to retract."),
    ],
)
def test_an_item_that_does_not_stand_is_dropped_with_its_reason(
    entity: Entity, item: dict[str, Any], reason: str
) -> None:
    before = persona_of(entity)
    learn(
        entity,
        "Something new.",
        synthesis=answer(update("s1", added("core_sop", "Something new.", ["a1"]))),
        persona=answer(item),
    )
    assert (dropped(entity), persona_of(entity)) == ([reason], before)


def test_a_slot_is_set_once_by_an_answer(entity: Entity) -> None:
    learn(
        entity,
        "Something new.",
        synthesis=answer(update("s1", added("core_sop", "Something new.", ["a1"]))),
        persona=answer(
            trait("role", "Does something new.", "s1.l1"), trait("role", "Does new things.", "s1.l1")
        ),
    )
    assert dropped(entity) == ["role was set by an earlier item of this answer."] * 2
    assert persona_of(entity)["role"] == ("Does something new.", 1)


def test_a_retracted_trait_keeps_its_history_and_goes_on_with_the_next_number(entity: Entity) -> None:
    edit = "Something new."
    learn(
        entity,
        edit,
        synthesis=answer(update("s1", added("core_sop", edit, ["a1"]))),
        persona=answer(retract("decision_pattern")),
    )
    assert "decision_pattern" not in persona_of(entity)
    assert Trait.objects.get(slot="decision_pattern").status == "retracted"
    again = "Small batches, still."
    learn(
        entity,
        again,
        synthesis=answer(update("s1", added("core_sop", again, ["a1"]))),
        persona=lambda request: answer(
            trait("decision_pattern", "Small batches, still.", _handle(request, again))
        ),
    )
    assert history(entity, "decision_pattern") == [
        (1, "Prefers small batches.", False),
        (2, "Small batches, still.", True),
    ]
    assert persona_of(entity)["decision_pattern"] == ("Small batches, still.", 2)


def test_a_trait_that_lost_its_line_is_shown_as_due_and_may_be_set_again(entity: Entity) -> None:
    edit = "Small batches are best."
    model = learn(
        entity,
        edit,
        synthesis=answer(
            update(
                "s1", {"op": "replace", "line": "s1.l1", "section": "core_sop", "text": edit, "atoms": ["a1"]}
            )
        ),
        persona=lambda request: answer(
            trait("decision_pattern", "Prefers small batches.", _handle(request, edit))
        ),
    )
    [request] = [request for request in model.requests if request.task == "persona"]
    assert [(t.slot, t.is_due, len(t.lines)) for t in request.payload.traits] == [  # type: ignore[attr-defined]
        ("decision_pattern", True, 0),
        ("interaction_protocol", False, 1),
    ]
    assert history(entity, "decision_pattern") == [
        (1, "Prefers small batches.", False),
        (2, "Prefers small batches.", True),
    ]


@pytest.mark.parametrize("persona", [NOTHING, answer(retract("decision_pattern"))])
def test_a_trait_that_lost_its_line_and_is_not_set_again_is_retracted(entity: Entity, persona: Any) -> None:
    learn(
        entity,
        "Forget the batches.",
        synthesis=answer(update("s1", {"op": "remove", "line": "s1.l1"})),
        persona=persona,
    )
    assert persona_of(entity) == {"interaction_protocol": ("Answer briefly.", 1)}
    run = runs(entity, "persona")[-1]
    assert [entry["outcome"] for entry in run.decisions] == ["retracted"]


def test_retiring_the_scene_makes_its_traits_due(entity: Entity) -> None:
    learn(
        entity,
        "All of that is over.",
        synthesis=answer({"action": "retire", "scene": "s1", "reason": "over"}),
    )
    assert (persona_of(entity), set(work.pending_counts(entity).values())) == ({}, {0})


def test_a_dead_claim_reaches_the_trait_that_rests_on_it_through_its_line(entity: Entity) -> None:
    Atom.objects.filter(text="Prefer small batches.").update(status="retracted")
    settle(entity)
    assert set(persona_of(entity)) == {"interaction_protocol"}


def test_no_trait_rests_on_a_line_that_is_due(entity: Entity) -> None:
    """A claim that dies after the scenes were made and before the persona looked at them."""
    line = Line.objects.get(text="Answer briefly.")
    SceneVersion.objects.update(consumed_by=None)
    Atom.objects.filter(text="Answer briefly.").update(status="retracted")
    entity.paused_steps = [Step.SCENE_SYNTHESIS]
    entity.save()
    work.mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=Step.PERSONA)
    settle(entity, persona=answer(trait("role", "Answers briefly.", "s1.l2")))
    assert dropped(entity) == ["A trait does not rest on a line that is due."]
    assert line.places.count() == 1


def test_what_a_person_wrote_is_not_changed_by_a_model(entity: Entity) -> None:
    head = TraitVersion.objects.get(trait__slot="decision_pattern")
    correction = Correction.objects.create(workspace_id=entity.workspace_id, entity=entity, kind="trait")
    TraitVersion.objects.filter(pk=head.pk).update(correction=correction)
    learn(
        entity,
        "Prefer big batches.",
        synthesis=answer(update("s1", added("core_sop", "Prefer big batches.", ["a1"]))),
        persona=answer(
            trait("decision_pattern", "Prefers big batches.", "s1.l2"), retract("decision_pattern")
        ),
    )
    assert dropped(entity) == ["decision_pattern was written by a person."] * 2
    assert history(entity, "decision_pattern") == [(1, "Prefers small batches.", True)]


def test_a_scene_that_changes_during_the_call_is_read_again(entity: Entity) -> None:
    def meanwhile(request: Any) -> Any:
        SceneVersion.objects.filter(is_head=True).update(is_head=False)
        old = SceneVersion.objects.latest("number")
        SceneVersion.objects.create(
            workspace_id=entity.workspace_id,
            entity=entity,
            scene=old.scene,
            title=old.title,
            number=old.number + 1,
        ).lines.add(
            Line.objects.get(text="Answer briefly."),
            through_defaults={"workspace_id": entity.workspace_id, "entity_id": entity.pk, "position": 0},
        )
        return NOTHING

    calls = iter((meanwhile, NOTHING))

    def persona(request: Any) -> Any:
        said = next(calls)
        return said(request) if callable(said) else said

    learn(
        entity,
        "Something new.",
        synthesis=answer(update("s1", added("core_sop", "Something new.", ["a1"]))),
        persona=persona,
    )
    assert [run.status for run in runs(entity, "persona")] == ["succeeded", "discarded", "succeeded"]
    assert persona_of(entity) == {"interaction_protocol": ("Answer briefly.", 1)}


def test_every_layer_gets_a_row(entity: Entity) -> None:
    counts = [model.objects.for_entity(entity).count() for model in (Atom, Scene, SceneVersion, TraitVersion)]
    assert counts == [2, 1, 1, 2]


def test_the_persona_is_drawn_again_whenever_scenes_change() -> None:
    entity = an_entity()
    for number in range(1, 6):
        text = f"Habit {number} matters."
        edit = (
            create("Habits", ("core_sop", text, ["a1"]))
            if number == 1
            else update("s1", added("core_sop", text, ["a1"]))
        )
        learn(
            entity,
            text,
            synthesis=answer(edit),
            persona=lambda request, text=text, number=number: answer(
                trait("archetype", f"Keeps habit {number}.", _handle(request, text))
            ),
        )
    assert persona_of(entity) == {"archetype": ("Keeps habit 5.", 5)}
    assert [run.status for run in runs(entity, "persona")] == ["succeeded"] * 5


def test_a_batch_that_changes_no_scene_draws_no_persona(entity: Entity) -> None:
    before = len(runs(entity, "persona"))
    say(entity, "Hello again!")
    assert settle(entity).tasks == ["l1_extract"]
    assert len(runs(entity, "persona")) == before
