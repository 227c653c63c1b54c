"""What a run and a workspace may use."""

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings

from memory.llm.budgets import Budgeted, RunBudget, ensure_within_daily_budget, spent_today
from memory.llm.protocol import BudgetExceeded, ModelReply, TransientModelError
from memory.models import Entity, Run, Workspace
from tests.llm.conftest import question
from tests.scripted_model import ScriptedModel


def replied(calls: int = 1, tokens_in: int = 100, tokens_out: int = 20) -> ModelReply:
    return ModelReply("{}", "scripted@1", calls=calls, tokens_in=tokens_in, tokens_out=tokens_out)


def test_a_reply_is_charged() -> None:
    model = Budgeted(ScriptedModel([replied(calls=2)]), RunBudget(calls=5, tokens=1_000, seconds=60))

    model.answer(question())

    assert (model.name, model.budget.calls_left, model.budget.tokens_left) == ("scripted@1", 3, 880)


def test_a_failure_is_charged() -> None:
    failure = TransientModelError("http_503", "busy", calls=3, tokens_in=70)
    model = Budgeted(ScriptedModel([failure]), RunBudget(calls=5, tokens=1_000, seconds=60))

    with pytest.raises(TransientModelError):
        model.answer(question())

    assert (model.budget.calls_left, model.budget.tokens_left) == (2, 930)


@pytest.mark.parametrize(
    ("budget", "kind"),
    [
        (RunBudget(calls=0, tokens=1_000, seconds=60), "run_calls"),
        (RunBudget(calls=5, tokens=3, seconds=60), "run_tokens"),
        (RunBudget(calls=5, tokens=1_000, seconds=0), "run_seconds"),
    ],
)
def test_nothing_is_sent_beyond_the_budget(budget: RunBudget, kind: str) -> None:
    scripted = ScriptedModel()

    with pytest.raises(BudgetExceeded) as caught:
        Budgeted(scripted, budget).answer(question())

    assert (caught.value.kind, caught.value.calls, scripted.requests) == (kind, 0, [])


def test_the_request_is_held_to_what_is_left() -> None:
    scripted = ScriptedModel([replied()])
    budget = RunBudget(calls=5, tokens=1_000, seconds=30, clock=lambda: 0.0)
    budget.calls_used = 3

    Budgeted(scripted, budget).answer(question(timeout_seconds=120.0))

    assert [(request.timeout_seconds, request.max_calls) for request in scripted.requests] == [(30.0, 2)]


def test_limits_come_from_the_settings() -> None:
    limits = settings.MEMSEEK.budget
    budget = RunBudget.configured()

    assert (budget.calls, budget.tokens, budget.seconds) == (
        limits.run_calls,
        limits.run_tokens,
        limits.run_seconds,
    )


@pytest.fixture
def workspaces(db: None) -> list[Workspace]:
    return [Workspace.objects.create(name=name) for name in ("here", "elsewhere")]


@pytest.fixture
def daily_limit(settings: Any) -> None:
    budget = replace(settings.MEMSEEK.budget, workspace_daily_tokens=500)
    settings.MEMSEEK = replace(settings.MEMSEEK, budget=budget)


def ran(workspace: Workspace, started_at: datetime, tokens_in: int = 300, tokens_out: int = 100) -> None:
    entity, _ = Entity.objects.get_or_create(workspace=workspace, name="agent.alice")
    Run.objects.create(
        workspace=workspace,
        entity=entity,
        step="l1_extract",
        started_at=started_at,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
    )


def midnight() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def test_tokens_of_today_are_those_of_one_workspace_since_midnight_utc(workspaces: list[Workspace]) -> None:
    here, elsewhere = workspaces
    ran(here, midnight())
    ran(here, midnight() + timedelta(seconds=1), 7, 3)
    ran(here, midnight() - timedelta(seconds=1))
    ran(elsewhere, midnight())

    assert [spent_today(workspace.pk) for workspace in workspaces] == [410, 400]


def test_a_workspace_pauses_when_its_day_is_used_up(workspaces: list[Workspace], daily_limit: None) -> None:
    here, elsewhere = workspaces
    ran(here, midnight(), 400, 100)
    ran(elsewhere, midnight(), 400, 99)

    ensure_within_daily_budget(elsewhere)
    with pytest.raises(BudgetExceeded) as caught:
        ensure_within_daily_budget(here)

    assert (caught.value.kind, caught.value.calls) == ("daily_tokens", 0)
    assert 0 < (caught.value.retry_after_seconds or 0) <= 86_400


@pytest.mark.parametrize(("own", "pauses"), [(None, True), (0, False), (400, True), (600, False)])
def test_the_budget_of_the_workspace_goes_before_the_setting(
    workspaces: list[Workspace], daily_limit: None, own: int | None, pauses: bool
) -> None:
    here = workspaces[0]
    here.daily_token_budget = own
    ran(here, midnight(), 400, 100)

    with pytest.raises(BudgetExceeded) if pauses else nullcontext():
        ensure_within_daily_budget(here)


def test_without_a_limit_nothing_pauses(workspaces: list[Workspace]) -> None:
    ran(workspaces[0], midnight(), 2_000_000_000, 0)

    ensure_within_daily_budget(workspaces[0])
    assert spent_today(workspaces[0].pk) == 2_000_000_000
