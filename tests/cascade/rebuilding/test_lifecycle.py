"""A rebuild may be stopped, killed, overtaken or thrown away: nothing is lost, nobody sees half of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import IntegrityError

from memory.cascade import work
from memory.cascade.engine import settle_entity
from memory.cascade.rebuilding import lifecycle
from memory.cascade.rebuilding.lifecycle import (
    RebuildRefusedError,
    apply_rebuild,
    discard_open,
)
from memory.cascade.rebuilding.shadows import RebuildStoppedError
from memory.ingest.entities import find_entity
from memory.llm.protocol import ModelRequest, PermanentModelError
from memory.models import (
    Entity,
    Message,
    Rebuild,
    Run,
    Step,
    Work,
)
from tests.cascade.rebuilding.remaking import (
    TOLD,
    a_model,
    corrected,
    everything,
    live,
    problems_at_rest,
    proposed,
    scenes,
    told,
)
from tests.cascade.story import say
from tests.models.rows import check_now
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


def test_messages_that_come_meanwhile_are_read_afterwards_by_the_live_memory() -> None:
    entity = told()
    found = proposed(entity, a_model(priority=66))
    [late] = say(entity, "The gateway team is in Oslo.")
    settle_entity(entity, model=a_model(priority=50, title="Old", name="old@1"))
    assert "The gateway team is in Oslo." in live(entity)
    apply_rebuild(found.rebuild, token=found.token)
    assert Message.objects.get(pk=late.pk).consumed_by_id is None
    assert live(entity) == dict.fromkeys(TOLD, 66)
    settle_entity(entity, model=a_model(priority=66))
    assert live(entity) == {**dict.fromkeys(TOLD, 66), "The gateway team is in Oslo.": 66}
    assert problems_at_rest() == []


def test_a_proposal_made_again_takes_in_what_came_meanwhile() -> None:
    entity = told()
    first = proposed(entity, a_model(priority=66))
    say(entity, "The gateway team is in Oslo.")
    second = proposed(entity, a_model(priority=66))
    assert (second.rebuild, second.token != first.token) == (first.rebuild, True)
    with pytest.raises(RebuildRefusedError, match="not the one"):
        apply_rebuild(second.rebuild, token=first.token)
    apply_rebuild(second.rebuild, token=second.token)
    assert live(entity) == {**dict.fromkeys(TOLD, 66), "The gateway team is in Oslo.": 66}
    assert Message.objects.for_entity(entity).pending().count() == 0


def test_a_step_under_way_writes_nothing_over_a_rebuilt_memory() -> None:
    entity = told()
    found = proposed(entity, a_model(priority=66))
    say(entity, "The gateway team is in Oslo.")
    Work.objects.for_entity(entity).update(due_at="2026-01-01T00:00:00Z")
    claim = work.claim(entity=entity, step=Step.L1_EXTRACT, design="agent_memory@0.3.0")
    assert claim is not None
    apply_rebuild(found.rebuild)
    with pytest.raises(work.ClaimLostError):
        work.lock_claim(claim)
    assert Run.objects.get(pk=claim.run.pk).status == Run.Status.DISCARDED
    settle_entity(entity, model=a_model(priority=66))
    assert "The gateway team is in Oslo." in live(entity)
    assert problems_at_rest() == []


def test_a_rebuild_that_was_stopped_goes_on_where_it_was() -> None:
    entity = told()
    working = a_model(priority=66)

    def out_of_credit(request: ModelRequest) -> Any:
        if request.task == "scene_synthesis":
            return PermanentModelError("http_402", "no credit is left")
        return working.answer(request)

    before = everything(entity)
    with pytest.raises(RebuildStoppedError, match="no credit"):
        proposed(entity, ScriptedModel(otherwise=out_of_credit, name="real@1"))
    assert everything(entity) == before
    with pytest.raises(RebuildRefusedError, match="not whole"):
        apply_rebuild(Rebuild.objects.get())
    assert working.tasks == ["l1_extract"]
    found = proposed(entity, working)
    assert working.tasks == ["l1_extract", "scene_synthesis", "persona"]
    assert (found.cost.failed, Rebuild.objects.count()) == (1, 1)


class Killed(BaseException):
    """Ends everything, as SIGKILL does: nothing is recorded."""


def test_a_rebuild_whose_process_was_killed_goes_on_when_its_lease_has_ended(settings: LazySettings) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=replace(settings.MEMSEEK.waking, lease_seconds=0.6))
    entity = told()
    before = everything(entity)
    working = a_model(priority=66)

    def killed(request: ModelRequest) -> Any:
        if request.task == "scene_synthesis":
            raise Killed
        return working.answer(request)

    with pytest.raises(Killed):
        proposed(entity, ScriptedModel(otherwise=killed, name="real@1"))
    assert everything(entity) == before
    found = proposed(entity, working)
    assert working.tasks == ["l1_extract", "scene_synthesis", "persona"]
    apply_rebuild(found.rebuild)
    assert live(entity) == dict.fromkeys(TOLD, 66)
    assert sorted(Run.objects.values_list("status", flat=True)).count("abandoned") == 1
    assert problems_at_rest() == []


def test_what_no_model_can_read_is_set_aside_and_stays_visible(settings: LazySettings) -> None:
    settings.MEMSEEK = replace(
        settings.MEMSEEK, waking=replace(settings.MEMSEEK.waking, retry_seconds=(0.0,))
    )
    entity = told()
    working = a_model(priority=66)

    def poisoned(request: ModelRequest) -> Any:
        shown = [message.text for message in getattr(request.payload, "messages", ())]
        if TOLD[0] in shown:
            return "no JSON at all"
        return working.answer(request)

    found = proposed(entity, ScriptedModel(otherwise=poisoned, name="real@1"))
    assert len(found.unread) == 1
    apply_rebuild(found.rebuild)
    assert live(entity) == {TOLD[1]: 66, TOLD[2]: 66}
    assert [message.text for message in Message.objects.for_entity(entity).parked()] == [TOLD[0]]
    assert problems_at_rest() == []


def test_only_one_rebuild_of_an_entity_is_open() -> None:
    entity = told()
    proposed(entity, a_model())
    with pytest.raises(RebuildRefusedError, match="Another rebuild"):
        proposed(entity, a_model(name="other@1"))
    assert discard_open(entity)
    assert not discard_open(entity)
    proposed(entity, a_model(name="other@1"))
    assert list(Rebuild.objects.order_by("created_at").values_list("status", flat=True)) == [
        "discarded",
        "open",
    ]


def test_a_discarded_rebuild_leaves_its_cost_and_none_of_its_words() -> None:
    entity = told()
    before = everything(entity)
    runs = set(Run.objects.values_list("pk", flat=True))
    proposed(entity, a_model(priority=66))
    discard_open(entity)
    check_now()
    assert everything(entity) == before
    left = Run.objects.exclude(pk__in=runs)
    assert {(run.entity_id, run.noop_reason) for run in left} == {(entity.pk, lifecycle.SCRUBBED)}
    assert [(run.inputs, run.outputs, run.decisions) for run in left] == [({}, {}, [])] * 3
    assert Entity.objects.get() == entity


def test_a_rebuild_that_is_discarded_while_it_is_made_says_so() -> None:
    entity = told()
    working = a_model(priority=66)

    def interrupted(request: ModelRequest) -> Any:
        discard_open(entity)
        return working.answer(request)

    before = everything(entity)
    with pytest.raises(RebuildStoppedError, match="discarded meanwhile"):
        proposed(entity, ScriptedModel(otherwise=interrupted, name="real@1"))
    assert everything(entity) == before
    assert Entity.objects.get() == entity


def test_a_correction_made_meanwhile_refuses_the_result_and_the_next_one_stands_on_it() -> None:
    entity = told()
    stale = proposed(entity, a_model(priority=66))
    fixed = corrected(entity, TOLD[2], "The API gateway freeze is on 3 May 2026.")
    with pytest.raises(RebuildRefusedError, match="Somebody corrected"):
        apply_rebuild(stale.rebuild)
    found = proposed(entity, a_model(priority=66))
    apply_rebuild(found.rebuild)
    assert fixed.text in live(entity)
    assert TOLD[2] not in live(entity)


def test_no_erase_commits_while_a_shadow_holds_copies() -> None:
    entity = told()
    proposed(entity, a_model())
    Entity.objects.filter(pk=entity.pk).update(erase_epoch=1)
    with pytest.raises(IntegrityError, match="rebuild of it is open"):
        check_now("erase_leaves_no_shadow")


def test_no_door_reaches_a_shadow() -> None:
    entity = told()
    found = proposed(entity, a_model())
    shadow = Entity.objects.get(shadow_of=entity)
    assert find_entity(workspace=entity.workspace, name=entity.name) == entity
    assert list(Entity.objects.for_workspace(entity.workspace_id)) == [entity]
    assert set(shadow.paused_steps) == set(Step.values)
    assert found.rebuild.status == "open"
    assert problems_at_rest() == []


def test_from_l2_claims_that_came_meanwhile_find_their_place_afterwards() -> None:
    entity = told()
    found = proposed(entity, a_model(title="New"), "L2")
    say(entity, "The gateway team is in Oslo.")
    settle_entity(entity, model=a_model(priority=50, title="Old", name="old@1"))
    apply_rebuild(found.rebuild)
    settle_entity(entity, model=a_model())
    assert [text for lines in scenes(entity).values() for text in lines if "Oslo" in text] == [
        "The gateway team is in Oslo."
    ]
    assert problems_at_rest() == []
