"""An answer that a model wrote costs tokens as a step does: it is a run, and counts in the budget."""

from __future__ import annotations

import time

from django.utils import timezone

from memory.cascade.asking import Account
from memory.cascade.recording import MOST_CALLS, MOST_TOKENS, storable
from memory.llm.protocol import Model
from memory.models import Entity, Run
from memory.models.runs import ANSWER
from memory.recall.answering import Answer, answer_question


def recorded_answer(entity: Entity, question: str, *, model: Model | None = None) -> Answer:
    """Answer a question as `answer_question` does, and record what a model was asked for it.

    The run holds ids, counts and the kind of a failure: neither the question nor a word of the reply. Nothing
    is recorded where no request was sent. Must not run inside a transaction where a model is used.
    """
    account = Account()
    began_at, began = timezone.now(), time.monotonic()
    answer = answer_question(entity, question, model=model, account=account)
    if account.calls:
        milliseconds = round((time.monotonic() - began) * 1_000)
        _run(entity, answer, account, milliseconds, started_at=began_at).save()
    return answer


def _run(entity: Entity, answer: Answer, account: Account, milliseconds: int, **times: object) -> Run:
    is_answered = not answer.problem_kind
    return Run(
        workspace_id=entity.workspace_id,
        entity=entity,
        step=ANSWER,
        status=Run.Status.SUCCEEDED if is_answered else Run.Status.FAILED,
        error_kind=storable(answer.problem_kind, 64),
        design=entity.workspace.design,
        design_hash=account.design_hash,
        prompt_hash=account.prompt_hash,
        schema_hash=account.schema_hash,
        erase_epoch=entity.erase_epoch,
        inputs=_cited(answer) if is_answered else {},
        noop_reason="" if answer.citations or not is_answered else "memory holds no answer",
        model=storable(account.model, 128),
        calls=min(account.calls, MOST_CALLS),
        tokens_in=min(account.tokens_in, MOST_TOKENS),
        tokens_out=min(account.tokens_out, MOST_TOKENS),
        cost=account.cost,
        milliseconds=milliseconds,
        finished_at=timezone.now(),
        **times,
    )


def _cited(answer: Answer) -> dict[str, list[str]]:
    """The ids of what the reply cites, by layer."""
    found: dict[str, list[str]] = {}
    for citation in answer.citations:
        found.setdefault(f"{citation.kind}s", []).append(str(citation.id))
    return found
