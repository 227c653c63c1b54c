"""skill_extract against a provider over real HTTP that misbehaves: nothing is lost, all is visible."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.db.models import F

from benchmarks.answers import answer_to
from memory.cascade import work
from memory.cascade.engine import Outcome, drain
from memory.llm.configuration import endpoint_chains
from memory.llm.openai_wire import close_clients
from memory.models import Entity, ModelEndpoint, ProcedureVersion, Run, Step, TaskTrace
from memory.stewardship.verify import verify
from tests.skills.skilled import DEPLOY_STEPS, an_entity, draft_of, last_run, said, trace
from tests.stub_provider import Reply, StubProvider

pytestmark = pytest.mark.django_db(transaction=True)


def well(body: dict[str, Any]) -> Reply:
    return Reply.json(answer_to(body))


@pytest.fixture
def stub(db: None, settings: LazySettings) -> Iterator[StubProvider]:
    with StubProvider(respond=well) as provider:
        product = settings.MEMSEEK
        model = replace(
            product.model, base_url=provider.base_url, api_key="sk-for-the-stub", strong="stub", cheap="stub"
        )
        settings.MEMSEEK = replace(
            product,
            model=model,
            waking=replace(product.waking, quiet_seconds=0.0, retry_seconds=(0.0, 0.0, 0.0)),
        )
        endpoint = endpoint_chains()["strong"][0]
        ModelEndpoint.objects.create(
            base_url_hash=endpoint.base_url_hash, model=endpoint.model, json_mode="json_schema"
        )
        yield provider
        close_clients()


@pytest.fixture
def entity(db: None) -> Entity:
    return an_entity()


def learn(entity: Entity) -> list[Outcome]:
    return drain(entity_id=entity.pk, step=Step.SKILL_EXTRACT)


STEPS = [("procedure", text) for kind, text in DEPLOY_STEPS if kind == "action"]


def test_a_provider_that_works_gives_a_draft(stub: StubProvider, entity: Entity) -> None:
    trace(entity)
    assert learn(entity) == [Outcome.DONE]
    assert said(draft_of(entity)) == STEPS
    run = last_run(entity)
    assert (run.model, run.calls, bool(run.prompt_hash), bool(run.schema_hash)) == ("stub", 1, True, True)
    assert verify(entity, is_settled=True) == []


def test_a_rate_limit_consumes_nothing_and_shows(stub: StubProvider, entity: Entity) -> None:
    stub.respond = lambda _: Reply.status(429, "Too many requests.", retry_after="0")
    trace(entity)
    assert drain(entity_id=entity.pk, step=Step.SKILL_EXTRACT, seconds=0.0) == [Outcome.FAILED]
    assert work.pending_counts(entity)[Step.SKILL_EXTRACT] == 1
    stub.respond = well
    assert learn(entity) == [Outcome.DONE]
    first = Run.objects.filter(step=Step.SKILL_EXTRACT).earliest("started_at")
    assert (first.error_kind, first.is_transient) == ("http_429", True)
    assert said(draft_of(entity)) == STEPS


def test_thinking_and_prose_around_the_answer_are_no_part_of_it(stub: StubProvider, entity: Entity) -> None:
    trace(entity)

    def talkative(body: dict[str, Any]) -> Reply:
        return Reply.text(
            f"<think>Which step?</think> Here: ```json\n{json.dumps(answer_to(body))}\n``` Fine?"
        )

    stub.respond = talkative
    assert learn(entity) == [Outcome.DONE]
    assert said(draft_of(entity)) == STEPS


def test_what_cannot_be_read_is_parked_with_its_raw_answer(stub: StubProvider, entity: Entity) -> None:
    stub.respond = lambda _: Reply.text("<think>Which step?</think>")
    trace(entity)
    assert learn(entity) == [Outcome.FAILED] * 3
    assert work.parked_counts(entity)[Step.SKILL_EXTRACT] == 1
    assert "Which step?" in last_run(entity).raw_answer
    stub.respond = well
    assert work.retry_parked(entity=entity, step=Step.SKILL_EXTRACT) == 1
    assert learn(entity) == [Outcome.DONE]
    assert said(draft_of(entity)) == STEPS


def test_an_erase_amid_the_call_discards_what_was_thought(stub: StubProvider, entity: Entity) -> None:
    gone = trace(entity, "Deploy ORCHID to production", [("action", "Opened the ORCHID vault")])

    def erase_first(body: dict[str, Any]) -> Reply:
        stub.respond = well
        with transaction.atomic():
            Entity.objects.filter(pk=entity.pk).update(erase_epoch=F("erase_epoch") + 1)
            TaskTrace.objects.filter(pk=gone.pk).delete()
        return well(body)

    stub.respond = erase_first
    assert learn(entity)[0] == Outcome.DISCARDED
    assert ProcedureVersion.objects.count() == 0
    assert [run.raw_answer for run in Run.objects.filter(step=Step.SKILL_EXTRACT)] == [
        ""
    ] * Run.objects.count()
