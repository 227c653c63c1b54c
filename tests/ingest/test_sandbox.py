"""Words of strangers: in a workspace apart, within limits, read by nobody who was not asked for."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from memory import tasks
from memory.broker import queue_of
from memory.cascade import work
from memory.cascade.engine import settle_entity
from memory.cascade.sweeping import sweep
from memory.indexing.step import _embedder_of
from memory.indexing.sweeping import sweep_index
from memory.indexing.wakeups import send_vector_index
from memory.ingest.problems import IngestConflict, IngestError
from memory.ingest.sandbox import SandboxFullError, end_of_talk, open_sandbox, sandboxes, say
from memory.llm.choosing import model_of, stays_offline
from memory.llm.registry import offline_model
from memory.models import (
    Entity,
    GraphNode,
    Message,
    Run,
    Session,
    Step,
    TraitVersion,
    Unindexed,
    Work,
    Workspace,
)
from memory.models.base import new_id
from memory.models.tenancy import SANDBOX_WORKSPACE_ID
from memory.recall.search import Request, _begin_vector
from memseek_site.celery import application
from memseek_site.environment import Environment
from memseek_site.sandbox_reading import read_sandbox
from showcase.sandbox.reading import EXAMPLES

OFFLINE = offline_model().name

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def limited(settings: Any) -> Any:
    """`limited(messages=2)`: the settings with other limits of the sandbox."""

    def limit(**limits: Any) -> None:
        settings.MEMSEEK = replace(settings.MEMSEEK, sandbox=replace(settings.MEMSEEK.sandbox, **limits))

    return limit


def words(entity: Entity) -> list[str]:
    return list(Message.objects.for_entity(entity).order_by("seq").values_list("text", flat=True))


def test_each_visitor_has_a_memory_apart_under_a_name_of_its_own() -> None:
    mine, other = open_sandbox(), open_sandbox()
    say(entity=mine, text="I live in Oslo.")
    assert mine.workspace_id == other.workspace_id == SANDBOX_WORKSPACE_ID
    assert mine.name != other.name
    assert (words(mine), words(other)) == (["I live in Oslo."], [])
    assert set(sandboxes()) == {mine, other}
    assert Workspace.objects.get(pk=SANDBOX_WORKSPACE_ID).name == "sandbox"


def test_somebody_elses_workspace_of_that_name_stays_theirs() -> None:
    theirs = Workspace.objects.create(name="sandbox")
    assert open_sandbox().workspace.name == "sandbox of visitors"
    assert Entity.objects.filter(workspace=theirs).count() == 0


def test_the_cap_of_tokens_follows_the_settings(limited: Any) -> None:
    budgets = []
    for tokens in (7, 9):
        limited(daily_tokens=tokens)
        budgets.append(open_sandbox().workspace.daily_token_budget)
    assert budgets == [7, 9]


def test_length_number_and_memories_at_once_have_an_end(limited: Any) -> None:
    limited(messages=2, characters=5, most=1)
    entity = open_sandbox()
    with pytest.raises(IngestError, match="text: has 6 characters, 5 are taken"):
        say(entity=entity, text="Hello!")
    for text in ("one", "two"):
        say(entity=entity, text=text)
    with pytest.raises(SandboxFullError, match="holds 2 messages"):
        say(entity=entity, text="three")
    with pytest.raises(SandboxFullError, match="Too many visitors"):
        open_sandbox()
    assert words(entity) == ["one", "two"]


def test_two_windows_at_once_store_no_more_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = open_sandbox()
    say(entity=entity, text="first")
    # The other window looked before the first one's words were stored.
    monkeypatch.setattr("memory.ingest.sandbox._next_ordinal", lambda entity: 0)
    with pytest.raises(IngestConflict):
        say(entity=entity, text="second")
    assert words(entity) == ["first"]


def test_all_work_for_visitors_waits_in_a_queue_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, str]] = []

    def take(name: str, *, args: list[str], queue: str, **_: object) -> None:
        sent.append((args[1] if len(args) > 1 else name, queue))

    monkeypatch.setattr(application, "send_task", take)
    entity = open_sandbox()
    say(entity=entity, text="I live in Oslo.")
    end_of_talk(entity)
    tasks.run_step(str(entity.pk), "l1_extract")
    Unindexed.objects.update(queued_at=timezone.now() - timedelta(minutes=1))
    sweep_index()
    send_vector_index(workspace_id=entity.workspace_id, entity_id=entity.pk, space_id=1)
    assert {name for name, _ in sent} >= {"l1_extract", "memory.index_entity"}
    assert {queue for _, queue in sent} == {"sandbox"}
    assert queue_of(new_id(), "cascade") == "cascade"
    assert {queue.name for queue in settings.CELERY_TASK_QUEUES} >= {"cascade", "sandbox"}


def test_the_sweep_and_retries_keep_to_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = open_sandbox()
    say(entity=entity, text="I live in Oslo.")
    sent: list[str] = []
    monkeypatch.setattr("memory.cascade.wakeups.send_task", lambda *told, queue, **_: sent.append(queue))
    Work.objects.for_entity(entity).filter(step="l1_extract").update(due_at="2026-01-01T00:00:00Z")
    sweep()
    work.send_again(entity=entity, step=Step.L1_EXTRACT)
    assert sent == ["sandbox", "sandbox"]


def test_the_ladder_is_made_offline_whatever_is_configured_and_nothing_beside_it(settings: Any) -> None:
    model = replace(settings.MEMSEEK.model, strong="some-model", base_url="http://127.0.0.1:9/v1")
    settings.MEMSEEK = replace(settings.MEMSEEK, model=model)
    entity = open_sandbox()
    for text in EXAMPLES:
        say(entity=entity, text=text)
    settle_entity(entity)
    assert TraitVersion.objects.for_entity(entity).live().exists()
    assert set(Run.objects.for_entity(entity).exclude(model="").values_list("model", flat=True)) == {OFFLINE}
    assert not GraphNode.objects.filter(entity=entity).exists()
    assert not Session.objects.for_entity(entity).exclude(external_id="visit").exists()


def test_a_configured_model_reads_visitors_words_only_when_it_is_allowed(settings: Any, limited: Any) -> None:
    model = replace(settings.MEMSEEK.model, strong="some-model", base_url="http://127.0.0.1:9/v1")
    settings.MEMSEEK = replace(settings.MEMSEEK, model=model)
    names = []
    for is_allowed in (False, True):
        limited(asks_model=is_allowed)
        models = [model_of(SANDBOX_WORKSPACE_ID), model_of(new_id())]
        names.append([found.name for found in models if found])
    assert names == [[OFFLINE, "some-model"], ["some-model", "some-model"]]
    assert stays_offline(SANDBOX_WORKSPACE_ID) is False


def test_without_a_cascade_there_is_none_for_visitors_either(settings: Any) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, is_llm_fake=True)
    assert model_of(SANDBOX_WORKSPACE_ID) is None


def test_an_endpoint_embeds_no_words_of_visitors(settings: Any, limited: Any) -> None:
    entity = open_sandbox()
    embedding = replace(settings.MEMSEEK.embedding, provider="openai_compatible", model="m", api_key="k")
    settings.MEMSEEK = replace(settings.MEMSEEK, embedding=embedding)
    assert _embedder_of(entity) is None
    assert _begin_vector(entity, Request("Oslo"), "Oslo")().vector is None
    limited(asks_model=True)
    assert _embedder_of(entity) is not None


@pytest.mark.parametrize(
    ("is_production", "told", "is_on"), [(True, "", False), (False, "", True), (True, "1", True)]
)
def test_in_production_somebody_has_to_switch_it_on(
    is_production: bool, told: str, is_on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told:
        monkeypatch.setenv("MEMSEEK_SANDBOX", told)
    assert read_sandbox(Environment(), is_production=is_production).is_on is is_on
