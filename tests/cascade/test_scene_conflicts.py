"""scene_synthesis: what changes while the model thinks, and what happens when writing fails."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError
from django.db.models.functions import Now

from memory.cascade import work
from memory.cascade.engine import Outcome, drain
from memory.models import (
    Atom,
    Entity,
    Evidence,
    Line,
    Message,
    Scene,
    SceneVersion,
    Step,
    VersionLine,
    Work,
)
from tests.cascade.failing_commits import failing_commits
from tests.cascade.story import added, an_entity, answer, create, runs, say, settle, store, update
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


@pytest.fixture
def entity() -> Entity:
    """One scene of one line."""
    entity = an_entity()
    say(entity, "It ships monthly.")
    settle(
        entity,
        answer(store("It ships monthly.", topic="release")),
        answer(create("Release", ("core_sop", "It ships monthly.", ["a1"]))),
    )
    return entity


@pytest.fixture
def failures() -> Iterator[list[Exception]]:
    with failing_commits() as waiting:
        yield waiting


def head_texts(entity: Entity) -> list[tuple[int, list[str]]]:
    heads = SceneVersion.objects.for_entity(entity).live()
    return [
        (head.number, list(head.lines.order_by("places__position").values_list("text", flat=True)))
        for head in heads
    ]


def outcomes(entity: Entity) -> list[tuple[str, str]]:
    return [(run.status, run.error_kind or run.noop_reason) for run in runs(entity, "scene_synthesis")]


def write_by_hand(entity: Entity, text: str) -> None:
    """What a person's correction or another run does meanwhile: a next version with one line more."""
    head = SceneVersion.objects.for_entity(entity).live().get()
    kept = list(head.lines.order_by("places__position"))
    line = Line.objects.create(
        workspace_id=entity.workspace_id, entity=entity, scene=head.scene, section="core_sop", text=text
    )
    Evidence.objects.create(
        workspace_id=entity.workspace_id, entity=entity, of_line=line, atom=Atom.objects.earliest("seq")
    )
    SceneVersion.objects.filter(pk=head.pk).update(is_head=False)
    version = SceneVersion.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        scene=head.scene,
        title=head.title,
        number=head.number + 1,
    )
    for position, row in enumerate([*kept, line]):
        version.lines.add(
            row,
            through_defaults={
                "workspace_id": entity.workspace_id,
                "entity_id": entity.pk,
                "position": position,
            },
        )


def test_what_came_in_while_the_model_was_thinking_is_not_overwritten(entity: Entity) -> None:
    say(entity, "It ships on Mondays.")
    edit = answer(update("s1", added("core_sop", "It ships on Mondays.", ["a1"])))

    def meanwhile(request: Any) -> Any:
        write_by_hand(entity, "It ships by mail.")
        return edit

    settle(entity, answer(store("It ships on Mondays.", topic="release")), meanwhile, edit)
    assert head_texts(entity) == [(3, ["It ships monthly.", "It ships by mail.", "It ships on Mondays."])]
    assert outcomes(entity)[1:] == [("discarded", "a scene got a new version meanwhile"), ("succeeded", "")]


def test_a_claim_superseded_during_the_call_is_never_placed(entity: Entity) -> None:
    say(entity, "It ships on Mondays.")

    def meanwhile(request: Any) -> Any:
        Atom.objects.filter(text="It ships on Mondays.").update(status="superseded")
        return answer(update("s1", added("core_sop", "It ships on Mondays.", ["a1"])))

    settle(entity, answer(store("It ships on Mondays.", topic="release")), meanwhile)
    assert head_texts(entity) == [(1, ["It ships monthly."])]
    assert [status for status, _ in outcomes(entity)] == ["succeeded", "discarded", "succeeded"]
    assert work.pending_counts(entity)[Step.SCENE_SYNTHESIS] == 0


def test_an_older_claim_that_dies_during_the_call_carries_no_new_line(entity: Entity) -> None:
    say(entity, "It ships on Mondays.")

    def meanwhile(request: Any) -> Any:
        Atom.objects.filter(text="It ships monthly.").update(status="retracted")
        return answer(update("s1", added("core_sop", "It ships monthly on Mondays.", ["a1", "a2"])))

    settle(entity, answer(store("It ships on Mondays.", topic="release")), meanwhile)
    assert ("discarded", "an atom under a new line was superseded or erased") in outcomes(entity)
    assert head_texts(entity) == []
    assert Scene.objects.get().status == "retired"


@pytest.mark.parametrize("error", [RuntimeError("the disk is full"), IntegrityError("a constraint broke")])
def test_a_write_that_fails_half_way_leaves_the_previous_versions_current(
    entity: Entity, failures: list[Exception], error: Exception
) -> None:
    say(entity, "It ships on Mondays.")
    extract = ScriptedModel([answer(store("It ships on Mondays.", topic="release"))])
    work.flush(entity)
    drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=extract)
    before = counts()
    edit = answer(
        update("s1", added("core_sop", "It ships on Mondays.", ["a1"])),
        create("Mondays", ("core_sop", "It ships on Mondays.", ["a1"])),
    )
    failures.append(error)
    assert drain(entity_id=entity.pk, step=Step.SCENE_SYNTHESIS, model=ScriptedModel([edit])) == [
        Outcome.FAILED
    ]
    assert head_texts(entity) == [(1, ["It ships monthly."])]
    assert counts() == before
    assert work.pending_counts(entity)[Step.SCENE_SYNTHESIS] == 1
    failed = runs(entity, "scene_synthesis")[-1]
    assert (failed.status, failed.error_kind, failed.outputs, failed.decisions) == (
        "failed",
        "internal",
        {},
        [],
    )
    assert str(error) in failed.error_text
    Work.objects.filter(entity=entity).update(due_at=Now())
    assert drain(entity_id=entity.pk, step=Step.SCENE_SYNTHESIS, model=ScriptedModel([edit])) == [
        Outcome.DONE
    ]
    assert head_texts(entity) == [
        (2, ["It ships monthly.", "It ships on Mondays."]),
        (1, ["It ships on Mondays."]),
    ]


def counts() -> dict[str, int]:
    return {
        model.__name__: model.objects.count() for model in (Scene, SceneVersion, Line, VersionLine, Evidence)
    }


@pytest.mark.parametrize(
    "error", [OperationalError("the server closed the connection"), InterfaceError("gone")]
)
def test_a_database_that_is_gone_leaves_the_work_to_the_lease(
    entity: Entity, failures: list[Exception], error: Exception
) -> None:
    say(entity, "It ships on Mondays.")
    failures.append(error)
    work.flush(entity)
    with pytest.raises(type(error)):
        drain(
            entity_id=entity.pk,
            step=Step.L1_EXTRACT,
            model=ScriptedModel([answer(store("It ships on Mondays."))]),
        )
    [*_, lost] = runs(entity)
    assert (lost.status, Message.objects.for_entity(entity).pending().count()) == ("running", 1)
    Work.objects.filter(entity=entity).update(lease_until=Now() - timedelta(seconds=1), due_at=Now())
    settle(entity, answer(store("It ships on Mondays.")))
    assert [(run.status, run.error_kind) for run in runs(entity)][1:] == [
        ("abandoned", "worker_lost"),
        ("succeeded", ""),
    ]
