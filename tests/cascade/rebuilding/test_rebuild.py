"""A rebuild makes memory anew beside the live one and leaves history behind."""

from __future__ import annotations

import pytest

from memory.cascade.designs import load_design
from memory.cascade.rebuilding.lifecycle import (
    apply_rebuild,
)
from memory.llm.offline.model import OfflineModel
from memory.models import (
    Atom,
    Chain,
    Entity,
    Message,
    Run,
    Scene,
    SceneVersion,
    Trait,
)
from tests.cascade.rebuilding.remaking import (
    TITLE,
    TOLD,
    a_model,
    corrected,
    everything,
    live,
    problems_at_rest,
    proposed,
    scenes,
    told,
    traits,
)

pytestmark = pytest.mark.django_db


def test_the_offline_memory_is_rebuilt_by_a_real_model_and_a_correction_is_kept() -> None:
    entity = told(model=OfflineModel())
    [wrong] = [text for text in live(entity) if "freeze" in text]
    fixed = corrected(entity, wrong, "The API gateway freeze is on 3 May 2026.")
    before = everything(entity)

    found = proposed(entity, a_model(priority=66))

    assert everything(entity) == before
    shown = {change.after.text: change.after.priority for change in found.changes.atoms if change.after}
    assert shown == {TOLD[0]: 66, TOLD[1]: 66}
    assert (found.cost.calls, found.cost.failed, found.unread) == (3, 0, [])

    apply_rebuild(found.rebuild, token=found.token)

    assert live(entity) == {TOLD[0]: 66, TOLD[1]: 66, fixed.text: fixed.priority}
    assert Atom.objects.get(pk=fixed.pk).status == Atom.Status.LIVE
    assert Atom.objects.get(text=TOLD[2]).superseded_by == fixed
    assert [text for lines in scenes(entity).values() for text in lines if "freeze" in text] == [fixed.text]
    assert problems_at_rest() == []
    assert Entity.objects.get() == entity


def test_a_result_that_says_the_same_changes_no_row() -> None:
    entity = told(model=OfflineModel())
    before = [live(entity), scenes(entity), traits(entity)]
    ids = set(Atom.objects.for_entity(entity).live().values_list("pk", flat=True))
    versions = SceneVersion.objects.for_entity(entity).count()
    found = proposed(entity, OfflineModel())
    assert found.changes.is_empty
    apply_rebuild(found.rebuild)
    assert [live(entity), scenes(entity), traits(entity)] == before
    assert set(Atom.objects.for_entity(entity).live().values_list("pk", flat=True)) == ids
    assert SceneVersion.objects.for_entity(entity).count() == versions
    assert problems_at_rest() == []


def test_what_stood_before_becomes_history() -> None:
    entity = told()
    [old_scene] = Scene.objects.for_entity(entity).live()
    old_trait = Trait.objects.for_entity(entity).get()
    found = proposed(entity, a_model(priority=66))
    apply_rebuild(found.rebuild)
    history = Atom.objects.for_entity(entity).filter(status=Atom.Status.SUPERSEDED)
    assert {(atom.text, atom.superseded_by.text) for atom in history if atom.superseded_by} == {
        (text, text) for text in TOLD
    }
    # The new scene says the same lines under another title: it is the same scene in its next version.
    assert list(old_scene.versions.order_by("number").values_list("number", "title", "is_head")) == [
        (1, "Old", False),
        (2, TITLE, True),
    ]
    assert list(old_trait.versions.order_by("number").values_list("text", "is_head")) == [
        ("Holds rules strictly, says old.", False),
        ("Holds rules strictly, says real.", True),
    ]
    assert problems_at_rest() == []


def test_scenes_that_nothing_continues_are_retired_and_keep_their_last_version() -> None:
    entity = told()
    found = proposed(entity, a_model(words="Noted: {}"))
    assert [
        (change.before and change.before.title, change.after and change.after.title)
        for change in found.changes.scenes
    ] == [
        (None, TITLE),
        ("Old", None),
    ]
    apply_rebuild(found.rebuild)
    assert dict(Scene.objects.for_entity(entity).values_list("versions__title", "status")) == {
        "Old": "retired",
        TITLE: "live",
    }
    assert problems_at_rest() == []


def test_the_difference_names_what_came_what_went_and_what_changed() -> None:
    entity = told()
    found = proposed(entity, a_model(priority=50, words="Noted: {}"))
    shown = {
        (change.before and change.before.text, change.after and change.after.text)
        for change in found.changes.atoms
    }
    assert shown == {(text, f"Noted: {text}") for text in TOLD}
    assert found.changes.counts == {
        "atoms_added": 0,
        "atoms_gone": 0,
        "atoms_changed": 3,
        "scenes_added": 1,
        "scenes_gone": 1,
        "scenes_changed": 0,
        "traits_changed": 1,
    }


def test_from_l2_the_claims_stay_and_scenes_and_traits_are_made_anew() -> None:
    entity = told()
    atoms = set(Atom.objects.for_entity(entity).values_list("pk", "status"))
    model = a_model(priority=99, title="New", name="real@1")
    found = proposed(entity, model, "L2")
    assert (model.tasks, found.changes.atoms) == (["scene_synthesis", "persona"], ())
    apply_rebuild(found.rebuild)
    assert set(Atom.objects.for_entity(entity).values_list("pk", "status")) == atoms
    assert scenes(entity) == {"New": [TOLD[0], TOLD[2], TOLD[1]]}
    assert traits(entity) == ["Holds rules strictly, says real."]
    assert problems_at_rest() == []


def test_from_l3_traits_alone_are_made_anew() -> None:
    entity = told()
    before = everything(entity)[:3]
    model = a_model(name="real@1")
    found = proposed(entity, model, "L3")
    assert model.tasks == ["persona"]
    apply_rebuild(found.rebuild)
    assert everything(entity)[:3] == before
    assert traits(entity) == ["Holds rules strictly, says real."]
    assert problems_at_rest() == []


def test_the_runs_of_a_rebuild_name_the_rows_that_the_memory_has_now() -> None:
    entity = told()
    found = proposed(entity, a_model(priority=66))
    apply_rebuild(found.rebuild)
    run = Run.objects.filter(step="l1_extract").latest("started_at")
    messages = {str(pk) for pk in Message.objects.for_entity(entity).values_list("pk", flat=True)}
    atoms = {str(pk) for pk in Atom.objects.for_entity(entity).live().values_list("pk", flat=True)}
    assert (run.entity, set(run.inputs["messages"]), set(run.outputs["atoms"])) == (entity, messages, atoms)
    assert (run.design, run.design_hash) == ("agent_memory@0.3.0", load_design().digest)


def test_rebuilding_again_and_again_gathers_no_empty_chains_and_no_copies() -> None:
    entity = told()
    for priority in (66, 50, 66):
        found = proposed(entity, a_model(priority=priority))
        apply_rebuild(found.rebuild)
        assert live(entity) == dict.fromkeys(TOLD, priority)
    assert Chain.objects.filter(atoms__isnull=True).count() == 0
    assert problems_at_rest() == []
