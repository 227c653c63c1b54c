"""What chats cost: each reply is a run, so that it counts in the workspace's tokens of the day."""

from __future__ import annotations

from django.conf import settings
from django.utils import timezone

from memory.cascade.recording import MOST_TOKENS, storable
from memory.llm.budgets import ensure_within_daily_budget
from memory.llm.configuration import price_of
from memory.llm.protocol import BudgetExceeded
from memory.models import Entity, Run, Workspace
from memory.models.runs import CHAT
from memory.proxy.errors import Refused
from memory.proxy.replies import Reply


def ensure_budget(workspace: Workspace) -> None:
    """Refused (429) when the workspace has used its tokens of today."""
    try:
        ensure_within_daily_budget(workspace)
    except BudgetExceeded as error:
        wait = str(round(error.retry_after_seconds or 0))
        raise Refused(
            429, error.kind, error.message, {"Retry-After": wait, "X-Should-Retry": "false"}
        ) from None


def record_chat(entity: Entity, reply: Reply, *, asked: str, milliseconds: int) -> Run:
    """One reply as a run: counts and the model's name, no words."""
    usage = reply.usage_after(asked)
    tokens_in, tokens_out = min(usage.tokens_in, MOST_TOKENS), min(usage.tokens_out, MOST_TOKENS)
    price = price_of(settings.MEMSEEK.model, reply.model)
    return Run.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        step=CHAT,
        status=Run.Status.SUCCEEDED,
        design=entity.workspace.design,
        erase_epoch=entity.erase_epoch,
        model=storable(reply.model, 128),
        calls=1,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=None if price is None else price.of(tokens_in=tokens_in, tokens_out=tokens_out),
        milliseconds=milliseconds,
        finished_at=timezone.now(),
    )
