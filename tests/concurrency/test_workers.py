"""Several workers on one entity: one claims, leases are taken over, and who lost a claim writes nothing."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db.models.functions import Now

from memory.cascade import work
from memory.cascade.engine import Outcome, drain
from memory.models import Atom, Entity, Evidence, Message, Run, Step, Work
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity, answer, say, store
from tests.cascade.test_cascade_properties import without_pauses
from tests.concurrency.standing import standing
from tests.ingest.test_concurrency import CALLERS, at_once
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db(transaction=True)


def read_all(request: Any) -> Any:
    """A claim a message, in its words."""
    return answer(*(store(message.text, message.handle) for message in request.payload.messages))


def extract(entity: Entity, model: ScriptedModel) -> list[Outcome]:
    return drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=model)


def atoms(entity: Entity) -> list[str]:
    return sorted(Atom.objects.for_entity(entity).values_list("text", flat=True))


@pytest.mark.parametrize("step", list(Step))
def test_of_many_who_claim_one_step_one_wins_and_its_token_counts_on(step: Step) -> None:
    entity = an_entity()
    Work.objects.filter(entity=entity, step=step).update(due_at=Now(), token=6)
    claims = [claim for claim in at_once(lambda _: work.claim(entity=entity, step=step, design="d")) if claim]
    assert [claim.token for claim in claims] == [7]
    assert Run.objects.for_entity(entity).get().pk == claims[0].run.pk


def test_many_workers_read_every_message_once() -> None:
    entity = an_entity()
    texts = [f"Statement {number} holds." for number in range(12)]
    with without_pauses():
        for number, text in enumerate(texts):
            say(entity, text, session=f"s{number % 4}")
        model = ScriptedModel(otherwise=read_all)
        outcomes = [outcome for each in at_once(lambda _: extract(entity, model)) for outcome in each]
        outcomes += extract(entity, model)
    read = [message.text for request in model.requests for message in request.payload.messages]
    assert (sorted(read), atoms(entity)) == (sorted(texts), sorted(texts))
    assert outcomes == [Outcome.DONE] * len(model.requests)
    assert Evidence.objects.filter(entity=entity).count() == len(texts)
    assert verify(entity) == []


@pytest.mark.parametrize("point", ["after_claim", "after_read", "before_commit"])
def test_a_worker_whose_lease_ran_out_writes_nothing_over_the_next_one(point: Any) -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    work.flush(entity)
    slow, quick = (ScriptedModel(otherwise=answer(store(f"Alice lives in Oslo{end}"))) for end in "!.")
    with standing(point, partial(extract, entity, slow)):
        Work.objects.filter(entity=entity, step=Step.L1_EXTRACT).update(lease_until=Now(), due_at=Now())
        assert extract(entity, quick) == [Outcome.DONE]
    assert atoms(entity) == ["Alice lives in Oslo."]
    runs = Run.objects.for_entity(entity).order_by("token").values_list("status", "outputs")
    assert [(status, bool(outputs)) for status, outputs in runs] == [
        ("abandoned", False),
        ("succeeded", True),
    ]
    row = Work.objects.get(entity=entity, step=Step.L1_EXTRACT)
    assert (row.token, row.lease_until, row.failures) == (2, None, 0)
    assert verify(entity) == []


def test_a_living_lease_is_not_taken_over() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    work.flush(entity)
    model = ScriptedModel(otherwise=read_all)
    with standing("after_read", partial(extract, entity, model)):
        # Due again, as a message that comes meanwhile makes it.
        say(entity, "My cat is called Mia.")
        Work.objects.filter(entity=entity, step=Step.L1_EXTRACT).update(due_at=Now())
        assert at_once(lambda _: extract(entity, model)) == [[]] * CALLERS
    extract(entity, model)
    assert atoms(entity) == ["I live in Oslo.", "My cat is called Mia."]
    assert not Message.objects.for_entity(entity).pending().exists()
    assert verify(entity) == []
