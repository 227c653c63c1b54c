"""Limits on what models may be asked: for one run, and for a workspace in a day (UTC)."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import F, Sum
from django.utils import timezone

from memory.llm.accounting import estimated_tokens
from memory.llm.protocol import BudgetExceeded, Model, ModelError, ModelReply, ModelRequest

if TYPE_CHECKING:
    from memory.models import Workspace


@dataclass(slots=True)
class RunBudget:
    """What one run may still use. Requests count, retries and fallbacks included; so do failed ones."""

    calls: int
    tokens: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    calls_used: int = 0
    tokens_used: int = 0
    _started: float = field(init=False)

    def __post_init__(self) -> None:
        self._started = self.clock()

    @classmethod
    def configured(cls) -> RunBudget:
        """A fresh budget with the limits of the settings."""
        limits = settings.MEMSEEK.budget
        return cls(limits.run_calls, limits.run_tokens, limits.run_seconds)

    @property
    def calls_left(self) -> int:
        return max(0, self.calls - self.calls_used)

    @property
    def tokens_left(self) -> int:
        return max(0, self.tokens - self.tokens_used)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.seconds - (self.clock() - self._started))

    def ensure(self, tokens: int = 1) -> None:
        """Raise BudgetExceeded unless one more call of at least so many tokens fits."""
        if not self.calls_left:
            raise _exceeded("run_calls", f"The run has used its {self.calls} model calls.")
        if tokens > self.tokens_left:
            raise _exceeded("run_tokens", f"The run has {self.tokens_left} of {self.tokens} tokens left.")
        if not self.seconds_left:
            raise _exceeded("run_seconds", f"The run has used its {self.seconds:g} seconds.")

    def charge(self, spent: ModelReply | ModelError) -> None:
        """Take off what a reply or a failure cost."""
        self.calls_used += spent.calls
        self.tokens_used += spent.tokens_in + spent.tokens_out


class Budgeted:
    """A model within a run's budget: checked before each request, charged after it.

    The answer's own length is not known before, so the last call may overdraw the tokens by its output.
    """

    def __init__(self, model: Model, budget: RunBudget) -> None:
        self._model = model
        self.budget = budget

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self._model.name

    def answer(self, request: ModelRequest) -> ModelReply:
        """The inner model's answer; BudgetExceeded, with nothing sent, when the run may not ask any more."""
        self.budget.ensure(estimated_tokens(request.system) + estimated_tokens(request.user))
        try:
            reply = self._model.answer(self._limited(request))
        except ModelError as error:
            self.budget.charge(error)
            raise
        self.budget.charge(reply)
        return reply

    def _limited(self, request: ModelRequest) -> ModelRequest:
        return replace(
            request,
            timeout_seconds=min(request.timeout_seconds, self.budget.seconds_left),
            max_calls=min(request.max_calls or self.budget.calls_left, self.budget.calls_left),
        )


def spent_today(workspace_id: uuid.UUID) -> int:
    """Tokens, in and out, of the workspace's runs that started since midnight UTC."""
    from memory.models import Run

    today = Run.objects.filter(workspace_id=workspace_id, started_at__gte=_midnight())
    spent: int | None = today.aggregate(tokens=Sum(F("tokens_in") + F("tokens_out")))["tokens"]
    return spent or 0


def ensure_within_daily_budget(workspace: Workspace) -> None:
    """Raise BudgetExceeded (`daily_tokens`) when the workspace has used its tokens of today.

    The workspace's own budget goes before the setting; 0 in either is no limit. `retry_after_seconds` is the
    time until midnight UTC.
    """
    own = workspace.daily_token_budget
    limit = settings.MEMSEEK.budget.workspace_daily_tokens if own is None else own
    if limit and spent_today(workspace.pk) >= limit:
        error = _exceeded("daily_tokens", f"The workspace has used its {limit} tokens of today (UTC).")
        error.retry_after_seconds = (_midnight() + timedelta(days=1) - timezone.now()).total_seconds()
        raise error


def _midnight() -> datetime:
    return timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _exceeded(kind: str, message: str) -> BudgetExceeded:
    return BudgetExceeded(kind, message, calls=0)
