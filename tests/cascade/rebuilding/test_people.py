"""What people decided holds in a rebuilt memory, whichever way a model takes around it."""

from __future__ import annotations

from typing import Any

import pytest

from memory.cascade.engine import settle_entity
from memory.cascade.rebuilding.lifecycle import RebuildRefusedError, apply_rebuild
from memory.ingest.outside_claims import OutsideClaim, record_outside_claims
from memory.llm.protocol import ModelRequest
from memory.models import (
    Atom,
    Authority,
    Correction,
    Entity,
    Evidence,
    Line,
    Run,
    Scene,
    SceneVersion,
    Trait,
    TraitVersion,
    VersionLine,
)
from tests.cascade.rebuilding.remaking import (
    TOLD,
    a_model,
    corrected,
    live,
    problems_at_rest,
    proposed,
    scenes,
    told,
    traits,
)
from tests.cascade.story import answer, create, merge, say, settle
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db

FIXED = "The API gateway freeze is on 3 May 2026."


def a_model_that(task: str, answers: Any) -> ScriptedModel:
    """The usual model, but for one step."""
    usual = a_model(priority=66)

    def reply(request: ModelRequest) -> Any:
        return answers(request) if request.task == task else usual.answer(request)

    return ScriptedModel(otherwise=reply, name="real@1")


def a_correction(entity: Entity, **derived: Any) -> Correction:
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    correction = Correction.objects.create(**owner, kind="tried")
    if derived:
        Evidence.objects.create(**owner, **derived, correction=correction)
    return correction


def test_a_model_that_merges_into_a_correction_does_not_undo_it() -> None:
    entity = told()
    fixed = corrected(entity, TOLD[2], FIXED)

    def merging(request: ModelRequest) -> Any:
        payload: Any = request.payload
        known = {atom.text: atom.handle for atom in payload.atoms}
        return answer(
            *(
                merge(message.text, [known[FIXED]], message.handle, topic="gateway")
                for message in payload.messages
                if message.text == TOLD[2]
            )
        )

    found = proposed(entity, a_model_that("l1_extract", merging))
    apply_rebuild(found.rebuild)
    assert live(entity) == {FIXED: fixed.priority}
    assert Atom.objects.get(pk=fixed.pk).status == Atom.Status.LIVE
    assert problems_at_rest() == []


def test_the_words_of_a_tool_do_not_overrule_a_correction_that_came_after_them() -> None:
    entity = told()
    say(entity, TOLD[2], role="tool", speaker="", tool_name="calendar")
    settle(entity)
    fixed = corrected(entity, TOLD[2], FIXED)
    assert fixed.authority == Authority.USER

    def merging(request: ModelRequest) -> Any:
        payload: Any = request.payload
        known = {atom.text: atom.handle for atom in payload.atoms}
        tools = [message for message in payload.messages if message.role == "tool"]
        return answer(
            *(
                merge(TOLD[2], [known[FIXED]], message.handle, topic="gateway", reason="contradiction")
                for message in tools
            )
        )

    found = proposed(entity, a_model_that("l1_extract", merging))
    apply_rebuild(found.rebuild)
    assert live(entity) == {FIXED: fixed.priority}
    assert Atom.objects.filter(text=TOLD[2], authority=Authority.TOOL).get().superseded_by == fixed
    assert problems_at_rest() == []


def test_words_said_after_a_correction_are_news() -> None:
    entity = told()
    corrected(entity, TOLD[2], FIXED)
    Atom.objects.filter(text=FIXED).update(last_seen_at="2026-06-02T09:02:30Z")
    say(entity, "The API gateway freeze is on 9 May 2026.")

    def merging(request: ModelRequest) -> Any:
        payload: Any = request.payload
        known = {atom.text: atom.handle for atom in payload.atoms}
        newest = payload.messages[-1]
        return answer(merge(newest.text, [known[FIXED]], newest.handle, topic="gateway"))

    settle(entity, l1_extract=merging)
    assert live(entity)["The API gateway freeze is on 9 May 2026."] == 50
    found = proposed(entity, a_model_that("l1_extract", merging))
    apply_rebuild(found.rebuild)
    assert list(live(entity)) == ["The API gateway freeze is on 9 May 2026."]
    assert problems_at_rest() == []


def test_a_trait_that_a_person_took_back_stays_away() -> None:
    entity = told()
    head = TraitVersion.objects.for_entity(entity).live().get()
    a_correction(entity, of_trait_version=head)
    Trait.objects.filter(pk=head.trait_id).update(status=Trait.Status.RETRACTED)
    found = proposed(entity, a_model(priority=66))
    assert found.changes.traits == ()
    apply_rebuild(found.rebuild)
    assert traits(entity) == []
    assert problems_at_rest() == []


def test_scenes_with_pinned_lines_may_be_merged_and_keep_their_lines() -> None:
    entity = told(
        *TOLD[:2],
        model=a_model_that(
            "scene_synthesis",
            lambda request: answer(
                create("One", ("work_context", TOLD[0], ["a1"])),
                create("Two", ("prohibitions", TOLD[1], ["a2"])),
            ),
        ),
    )
    Line.objects.for_entity(entity).update(is_pinned=True)
    one, two = Scene.objects.for_entity(entity).order_by("slot")
    lines = set(Line.objects.for_entity(entity).values_list("pk", flat=True))

    def merging(request: ModelRequest) -> Any:
        payload: Any = request.payload
        if len(payload.scenes) < 2:
            return answer(nothing_reason="merged")
        first, second = (scene.handle for scene in payload.scenes)
        return answer({"action": "merge", "scene": first, "merged": [second], "lines": []})

    found = proposed(entity, a_model_that("scene_synthesis", merging), "L2")
    apply_rebuild(found.rebuild)
    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.status, two.status, two.merged_into) == ("live", "merged", one)
    head = SceneVersion.objects.for_entity(entity).live().get()
    assert set(head.lines.values_list("pk", flat=True)) == lines
    assert problems_at_rest() == []


def test_a_title_that_a_person_gave_stays() -> None:
    entity = told()
    SceneVersion.objects.for_entity(entity).update(correction=a_correction(entity))
    found = proposed(entity, a_model(priority=66, title="Other"))
    apply_rebuild(found.rebuild)
    assert SceneVersion.objects.for_entity(entity).live().get().title == "Old"


def test_claims_of_another_memory_stay_though_no_words_here_make_them() -> None:
    entity = told()
    told_elsewhere = OutsideClaim("mem0", "1", "Robin plays the cello.")
    record_outside_claims(entity=entity, claims=[told_elsewhere])
    settle(entity)
    atom = Atom.objects.get(text=told_elsewhere.text)
    found = proposed(entity, a_model(priority=66))
    apply_rebuild(found.rebuild)
    assert live(entity) == {told_elsewhere.text: atom.priority, **dict.fromkeys(TOLD, 66)}
    assert Evidence.objects.get(of_atom=atom).outside_reference == "1"
    assert Line.objects.filter(text=told_elsewhere.text).exists()
    assert problems_at_rest() == []


def test_claims_that_another_memory_told_meanwhile_begin_the_rebuild_anew() -> None:
    entity = told()
    stale = proposed(entity, a_model(priority=66))
    record_outside_claims(entity=entity, claims=[OutsideClaim("mem0", "1", "Robin plays the cello.")])
    with pytest.raises(RebuildRefusedError, match="look at the difference again"):
        apply_rebuild(stale.rebuild)
    apply_rebuild(proposed(entity, a_model(priority=66)).rebuild)
    assert "Robin plays the cello." in live(entity)
    assert problems_at_rest() == []


def test_a_claim_that_a_person_took_back_does_not_come_back() -> None:
    entity = told()
    Atom.objects.filter(text=TOLD[0]).update(status=Atom.Status.RETRACTED)
    settle_entity(entity, model=a_model(priority=50, title="Old", name="old@1"))
    found = proposed(entity, a_model(priority=66))
    apply_rebuild(found.rebuild)
    assert live(entity) == {TOLD[1]: 66, TOLD[2]: 66}
    assert {text for lines in scenes(entity).values() for text in lines} == {TOLD[1], TOLD[2]}
    reasons = [entry["reason"] for run in Run.objects.filter(step="l1_extract") for entry in run.decisions]
    assert f"a person took it back: {TOLD[0]}" in reasons
    assert problems_at_rest() == []


@pytest.mark.parametrize("layer", ["L1", "L2"])
def test_a_pinned_line_stays_the_row_it_is(layer: str) -> None:
    entity = told()
    pinned = Line.objects.for_entity(entity).get(text=TOLD[0])
    Line.objects.filter(pk=pinned.pk).update(is_pinned=True)
    found = proposed(entity, a_model(priority=66, title="Other"), layer)
    apply_rebuild(found.rebuild)
    [head] = SceneVersion.objects.for_entity(entity).live()
    assert pinned in head.lines.all()
    assert (head.title, head.number) == ("Old", 2 if layer == "L1" else head.number)
    assert problems_at_rest() == []


def test_a_line_and_a_trait_that_a_person_wrote_stay() -> None:
    entity = told()
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    correction = Correction.objects.create(**owner, kind="scene")
    [head] = SceneVersion.objects.for_entity(entity).live()
    line = Line.objects.create(
        **owner, scene=head.scene, section="core_sop", text="Ask Dana first.", correction=correction
    )
    VersionLine.objects.create(**owner, version=head, line=line, position=head.lines.count())
    Evidence.objects.create(**owner, of_line=line, correction=correction)
    trait = Trait.objects.for_entity(entity).get()
    TraitVersion.objects.filter(trait=trait).update(is_head=False)
    version = TraitVersion.objects.create(
        **owner, trait=trait, number=2, text="Decides alone.", correction=correction
    )
    Evidence.objects.create(**owner, of_trait_version=version, correction=correction)
    found = proposed(entity, a_model(priority=66, title="Other"))
    assert found.changes.traits == ()
    apply_rebuild(found.rebuild)
    assert traits(entity) == ["Decides alone."]
    assert line in SceneVersion.objects.for_entity(entity).live().get().lines.all()
    assert problems_at_rest() == []
