"""An answer by a model is a run that a person can see, and its tokens count in the day's budget."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from memory.llm.budgets import spent_today
from memory.llm.protocol import ModelReply, TransientModelError
from memory.measuring.answers import recorded_answer
from memory.models import Entity, Run, Workspace
from tests.cast import Alice, make_alice
from tests.recall.test_answering import QUESTION, gap, told
from tests.scripted_model import ScriptedModel, _text

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def words_alone(settings: Any) -> None:
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, embedding=replace(product.embedding, provider="none"))


@pytest.fixture
def alice() -> Alice:
    with transaction.atomic():
        return make_alice()


def reply(text: object) -> ModelReply:
    return ModelReply(
        text=_text(text), model="large", tokens_in=700, tokens_out=80, cost=Decimal("0.25"), milliseconds=9
    )


def recorded() -> list[Any]:
    fields = ("step", "status", "model", "calls", "tokens_in", "tokens_out", "cost", "error_kind")
    return list(Run.objects.filter(step="answer").values_list(*fields))


def test_an_answer_is_a_run_with_its_tokens_and_without_a_word(alice: Alice) -> None:
    before = spent_today(alice.entity.workspace_id)
    recorded_answer(alice.entity, QUESTION, model=ScriptedModel([reply(told(gap("Nobody is named.")))]))
    assert recorded() == [("answer", "succeeded", "large", 1, 700, 80, Decimal("0.25"), "")]
    assert spent_today(alice.entity.workspace_id) - before == 780
    run = Run.objects.get(step="answer")
    assert (run.noop_reason, run.raw_answer, run.decisions, run.inputs) == (
        "memory holds no answer",
        "",
        [],
        {},
    )
    assert (len(run.prompt_hash), len(run.design_hash), run.started_at < run.finished_at) == (64, 64, True)


def test_a_failed_call_is_recorded_by_its_kind(alice: Alice) -> None:
    error = TransientModelError("http_503", "words of a person", calls=3, tokens_in=20)
    answer = recorded_answer(alice.entity, QUESTION, model=ScriptedModel([error]))
    assert (answer.model, answer.problem_kind) == ("extractive", "http_503")
    assert recorded() == [("answer", "failed", "", 3, 20, 0, None, "http_503")]
    assert Run.objects.get(step="answer").error_text == ""


def test_answers_use_up_the_day_and_then_quote(alice: Alice) -> None:
    Workspace.objects.filter(pk=alice.entity.workspace_id).update(daily_token_budget=780)
    entity = Entity.objects.get(pk=alice.entity.pk)
    model = ScriptedModel([reply(told(gap("Nobody is named.")))])
    first = recorded_answer(entity, QUESTION, model=model)
    second = recorded_answer(entity, QUESTION, model=model)
    assert (first.model, second.model, second.problem_kind) == ("large", "extractive", "daily_tokens")
    assert (len(model.requests), len(recorded())) == (1, 1)


def test_without_a_model_nothing_is_recorded(alice: Alice) -> None:
    recorded_answer(alice.entity, QUESTION)
    assert recorded() == []
