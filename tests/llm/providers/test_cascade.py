"""The whole ladder through every provider: words in, a trait out, and what goes wrong is visible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from benchmarks.answers import answer_to, task_of
from memory.cascade.engine import drain
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Atom, Entity, Line, Message, Run, Step, TraitVersion, Work
from memory.stewardship.verify import verify
from tests.factories import make_workspace
from tests.llm.conftest import KEY
from tests.llm.providers.conftest import Dialect, Start
from tests.stub_provider import Reply, StubProvider

pytestmark = pytest.mark.django_db(transaction=True)

HERE = "tests.llm.providers.brought"
SAID = ("My bike is blue.", "I play the cello.")
LADDER = (Step.L1_EXTRACT, Step.SCENE_SYNTHESIS, Step.PERSONA)
Use = Callable[..., None]


@pytest.fixture
def use(settings: Any) -> Use:
    """Chooses the provider; nothing waits between the steps."""

    def change(**model: Any) -> None:
        product = settings.MEMSEEK
        settings.MEMSEEK = replace(
            product,
            model=replace(product.model, **model),
            waking=replace(
                product.waking, quiet_seconds=0.0, persona_interval_seconds=0.0, retry_seconds=(0.0, 0.0, 0.0)
            ),
        )

    return change


@pytest.fixture
def entity(db: None) -> Entity:
    return ensure_entity(workspace=make_workspace(), name="agent.alice")


def climb(entity: Entity) -> None:
    """Say something and run every step once, from below."""
    for text in SAID:
        message = IncomingMessage(
            session="s",
            role="user",
            speaker="Alice",
            text=text,
            occurred_at=datetime(2026, 6, 2, 9, 0, tzinfo=UTC),
        )
        append_messages(entity=entity, messages=[message])
    for step in LADDER:
        drain(entity_id=entity.pk, step=step)


def memory_of(entity: Entity) -> dict[str, Any]:
    """What every layer holds, and who is recorded as its author."""
    return {
        "atoms": sorted(Atom.objects.for_entity(entity).live().values_list("text", flat=True)),
        "lines": sorted(Line.objects.for_entity(entity).values_list("text", flat=True)),
        "traits": list(TraitVersion.objects.for_entity(entity).values_list("text", flat=True)),
        "waiting": Message.objects.for_entity(entity).pending().count(),
        "models": set(Run.objects.for_entity(entity).values_list("model", flat=True)),
    }


def whole(model: str) -> dict[str, Any]:
    """The memory that the cast's words give."""
    return {
        "atoms": sorted(SAID),
        "lines": sorted(SAID),
        "traits": [SAID[0]],
        "waiting": 0,
        "models": {model},
    }


def at(dialect: Dialect, stub: StubProvider) -> dict[str, Any]:
    """The settings of a model at the stub."""
    provider = "openai_compatible" if dialect.name == "openai" else dialect.name
    return {
        "provider": provider,
        "strong": "stub",
        "cheap": "stub",
        "base_url": stub.base_url,
        "api_key": KEY,
    }


def test_every_vendor_carries_the_whole_ladder(
    dialect: Dialect, start: Start, use: Use, entity: Entity
) -> None:
    stub = start(dialect.stub, respond=lambda body: dialect.json(answer_to(body)))
    use(**at(dialect, stub))

    climb(entity)

    assert memory_of(entity) == whole("stub")
    assert {task_of(request.body) for request in stub.requests} == set(LADDER)
    assert set(Run.objects.for_entity(entity).values_list("tokens_in", "tokens_out", "status")) == {
        (120, 30, "succeeded")
    }
    assert verify(entity) == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("thinking", "thinking@1"),
        ("Blocking", f"{HERE}.Blocking"),
        ("Whole", "whole@1"),
    ],
)
def test_a_model_of_ones_own_carries_the_whole_ladder(use: Use, entity: Entity, path: str, name: str) -> None:
    use(provider=f"{HERE}.{path}")

    climb(entity)

    assert memory_of(entity) == whole(name)


def test_bad_answers_cost_a_visible_run_and_nothing_else(
    dialect: Dialect, start: Start, use: Use, entity: Entity
) -> None:
    bad = {"action": "store", "text": "The moon is blue.", "messages": ["m99"], "topic": "things"}
    cut = dialect.cut_off('{"items": [{"action": "sto')

    def respond(body: dict[str, Any]) -> Reply:
        answer = answer_to(body)
        if task_of(body) == "l1_extract" and len(stub.requests) == 2:
            return dialect.json({**answer, "items": [bad, *answer["items"]]})
        return dialect.json(answer)

    stub = start(dialect.stub, [cut], respond=respond)
    use(**at(dialect, stub))

    climb(entity)

    assert memory_of(entity) == whole("stub")
    assert list(
        Run.objects.for_entity(entity).exclude(error_kind="").values_list("error_kind", flat=True)
    ) == ["cut_off"]
    correction = stub.requests[2].body["messages"][-1]["content"]
    assert "The moon is blue." in correction


def test_prose_instead_of_an_answer_loses_nothing(
    dialect: Dialect, start: Start, use: Use, entity: Entity
) -> None:
    prose = dialect.text("I would rather talk about the weather.")
    stub = start(dialect.stub, [prose], respond=lambda body: dialect.json(answer_to(body)))
    use(**at(dialect, stub))

    climb(entity)

    assert memory_of(entity) == whole("stub")


def test_a_refused_key_is_told_and_waits(dialect: Dialect, start: Start, use: Use, entity: Entity) -> None:
    stub = start(dialect.stub, respond=lambda _: dialect.error(401, "That key is not known."))
    use(**at(dialect, stub))

    climb(entity)

    work = Work.objects.for_entity(entity).get(step=Step.L1_EXTRACT)
    run = Run.objects.for_entity(entity).get()
    assert (work.last_error_kind, work.last_error) == ("http_401", "That key is not known.")
    assert (run.is_transient, len(stub.requests), memory_of(entity)["waiting"]) == (False, 1, 2)
