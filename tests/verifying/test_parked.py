"""What is set aside names the failed run that says why, in every legal history; else the checker notices."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO

import pytest
from django.db import transaction
from django.db.models.functions import Now

from memory.cascade.designs import load_design
from memory.cascade.engine import settle_entity
from memory.cascade.rebuilding.lifecycle import apply_rebuild, discard_open, find_open, propose
from memory.llm.protocol import ModelReply
from memory.models import Atom, Entity, Message, Run, Session
from memory.models.base import new_id
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.exporting import import_entity
from memory.stewardship.retention import apply_retention
from memory.stewardship.verify import verify
from tests.cascade.rebuilding.remaking import a_model
from tests.cascade.story import an_entity, say
from tests.cascade.talks import open_talk, take
from tests.cascade.test_cascade_properties import without_pauses
from tests.factories import make_workspace
from tests.scripted_model import ScriptedModel
from tests.stewardship.erasing.planting import BOSS
from tests.stewardship.exporting.files import empty_the_place, exported

pytestmark = pytest.mark.django_db

REFUSED = ModelReply(text="I must refuse.", model="m", finish_reason="refusal")


@pytest.fixture
def entity() -> Entity:
    """Two messages and a talk that no model can read."""
    entity = an_entity()
    say(entity, "I live in Oslo.", "I like tea.")
    session = open_talk(entity)
    take(session, "My badge word is ORCHID-7.", role="user")
    Session.objects.filter(pk=session.pk).update(ended_at=Now())
    with without_pauses():
        settle_entity(entity, model=ScriptedModel(otherwise=REFUSED))
    assert (Message.objects.parked().count(), Session.objects.parked().count()) == (3, 1)
    return entity


def told() -> list[tuple[str, str]]:
    return [(problem.kind, problem.row) for problem in verify()]


def test_what_a_step_gave_up_has_its_run(entity: Entity) -> None:
    assert told() == []


def test_a_run_is_kept_beyond_its_days_while_something_is_parked_by_it(entity: Entity) -> None:
    Run.objects.update(started_at=Now() - timedelta(days=400))
    before = Run.objects.count()
    assert apply_retention().removed["runs"] == before - 4
    assert told() == []


def test_an_erase_takes_the_words_of_a_run_and_leaves_the_run(entity: Entity) -> None:
    gone = Message.objects.get(text="I like tea.")
    plan = plan_erasure(entity=entity, scope=Scope("messages", messages=(gone.pk,)), actor=BOSS)
    erase(erasure=plan, actor=BOSS)
    assert Message.objects.parked().count() == 2
    assert told() == []


@pytest.mark.django_db(transaction=True)
def test_an_export_brings_its_runs_along(entity: Entity) -> None:
    file = exported(entity)
    empty_the_place()
    again = import_entity(workspace=make_workspace(), source=BytesIO(file)).entity
    assert Message.objects.for_entity(again).parked().count() == 3
    assert told() == []


@pytest.mark.parametrize("layer", ["L1", "L2"])
def test_what_a_rebuild_could_not_read_has_its_run_in_the_shadow_and_after_the_swap(layer: str) -> None:
    entity = an_entity()
    say(entity, "Our API gateway is written in Go.", "Never deploy the API gateway on Fridays.")
    settle_entity(entity, model=a_model())
    with without_pauses():
        propose(entity=entity, layer=layer, design=load_design(), model=ScriptedModel(otherwise=REFUSED))
    parked = Message if layer == "L1" else Atom
    shadow = Entity.objects.get(shadow_of=entity)
    assert (parked.objects.for_entity(shadow).parked().count(), told()) == (2, [])
    apply_rebuild(find_open(entity))
    assert (parked.objects.for_entity(entity).parked().count(), told()) == (2, [])


def test_a_rebuild_that_is_thrown_away_takes_no_run_with_it(entity: Entity) -> None:
    propose(entity=entity, layer="L1", design=load_design(), model=a_model())
    with transaction.atomic():
        assert discard_open(entity)
    assert (Message.objects.parked().count(), told()) == (3, [])


@pytest.mark.parametrize("changes", [{"status": "succeeded"}, {"step": "persona"}], ids=str)
def test_a_run_that_says_something_else_does_not_count(entity: Entity, changes: dict[str, str]) -> None:
    message = Message.objects.get(text="I like tea.")
    Run.objects.filter(pk__in=[message.parked_by_id]).update(**changes)
    assert told() == [("parked_without_run", f"memory_message {message.pk}")]


@pytest.mark.parametrize("run", [None, new_id()], ids=["none", "gone"])
def test_of_every_sort_of_input_a_row_without_its_run_is_found(entity: Entity, run: object) -> None:
    Session.objects.parked().update(parked_by=run)
    assert told() == [("parked_without_run", f"memory_session {Session.objects.parked().get().pk}")]


def test_a_run_of_another_memory_does_not_count(entity: Entity) -> None:
    message = Message.objects.get(text="I like tea.")
    Run.objects.filter(pk__in=[message.parked_by_id]).update(entity=an_entity("agent.bob"))
    assert told() == [("parked_without_run", f"memory_message {message.pk}")]
