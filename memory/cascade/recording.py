"""How an attempt ends: its run, its work row, what it wakes, and the event for streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from memory.cascade import work
from memory.cascade.announcing import announce
from memory.cascade.asking import Account, AnswerError
from memory.cascade.failures import CONFIGURATION_KINDS, Nature, Plan, limit_after_success, plan_after_failure
from memory.cascade.stage import Batch, Stage, Verdict, Written
from memory.cascade.wakeups import wake_on_commit
from memory.llm.protocol import ModelError, TransientModelError
from memory.models import Outbox, Run, Step, Work
from memory.models.runs import RAW_ANSWER_LIMIT

ERROR_TEXT_LIMIT = 1_000
LONGEST_PAUSE_SECONDS = 3_600.0
"""However long a provider asks to be left alone."""
UNREAD_BATCH_SIZE = 32
"""Taken for the size of a batch that could not be read; halved until one input stands alone."""
MOST_CALLS = 32_767
MOST_TOKENS = 2_147_483_647
"""What the columns hold; a provider may report anything."""
NOTHING_WAITED = "nothing waited any more"


def record_success(
    claim: work.Claim,
    stage: Stage,
    batch: Batch | None,
    verdicts: Sequence[Verdict[Any]],
    account: Account,
    row: Work,
) -> None:
    """Within the committing transaction: write what was decided, finish the run, wake what comes next."""
    written = Written() if batch is None else stage.write(claim, batch, verdicts)
    run = claim.run
    run.status = Run.Status.SUCCEEDED
    run.inputs = _ids(batch.input_ids if batch else {})
    run.outputs = written.outputs
    notes = [*written.decisions, *(word for verdict in verdicts for word in verdict.decisions)]
    run.decisions = _storable_notes(notes)
    reason = written.nothing_reason or _noop_reason(batch, verdicts)
    run.noop_reason = storable(reason, 300) if written.is_empty else ""
    _finish(run, account)
    _release(claim, stage, row)
    _emit(claim, Outbox.Event.STEP_DONE, written.outputs)


def _noop_reason(batch: Batch | None, verdicts: Sequence[Verdict[Any]]) -> str:
    if batch is None:
        return NOTHING_WAITED
    reasons = [verdict.nothing_reason for verdict in verdicts if verdict.nothing_reason]
    return "; ".join(reasons)[:300] or "nothing in it changes memory"


def _release(claim: work.Claim, stage: Stage, row: Work) -> None:
    """Give the work back; due at once where more waits or a flush has to be handed on."""
    row.lease_until = None
    row.failures = 0
    row.last_error = row.last_error_kind = ""
    row.last_finished_at = Now()
    has_more = stage.waiting(claim.entity) is not None
    full_size = stage.full_size(claim)
    row.batch_limit = limit_after_success(row.batch_limit, full_size=full_size) if has_more else None
    row.is_urgent = row.is_urgent and has_more
    # The same worker goes on with it, so no task is sent; should it die, the sweep finds the row due.
    row.due_at = Now() if has_more or row.is_flushing else row.due_at
    row.save()
    for step in stage.downstream:
        _wake_downstream(claim, step)


def _wake_downstream(claim: work.Claim, step: Step) -> None:
    from memory.cascade.stages import stage_of

    if stage_of(step).waiting(claim.entity) is not None:
        work.mark_due(workspace_id=claim.entity.workspace_id, entity_id=claim.entity.pk, step=step)


def record_failure(
    claim: work.Claim, stage: Stage, batch: Batch | None, account: Account, error: ModelError | AnswerError
) -> bool:
    """Keep what went wrong, and plan the next try, a smaller batch, or the parking of what cannot be read.

    Without a batch it was the reading itself that failed. Returns False when the claim was lost meanwhile:
    then nothing is kept but that the run was discarded, or given up before.
    """
    try:
        with transaction.atomic(durable=True):
            row = work.lock_claim(claim)
            _fail_run(claim, batch, account, error)
            size = batch.size if batch else row.batch_limit or UNREAD_BATCH_SIZE
            _apply(claim, stage, batch, row, _plan(claim, size, row, error), _failures(claim, row, error))
    except work.ClaimLostError:
        record_discard(claim, account, "its claim was lost")
        return False
    return True


def _fail_run(
    claim: work.Claim, batch: Batch | None, account: Account, error: ModelError | AnswerError
) -> None:
    run = claim.run
    run.status = Run.Status.FAILED
    run.inputs = _ids(batch.input_ids if batch else {})
    # A commit that failed half-way had noted rows that are not there now.
    run.outputs, run.decisions, run.noop_reason = {}, [], ""
    run.error_kind = storable(error.kind, 64)
    run.error_text = _text_of(error)
    run.is_transient = isinstance(error, TransientModelError)
    run.raw_answer = storable(error.raw, RAW_ANSWER_LIMIT)
    _finish(run, account)


def _text_of(error: ModelError | AnswerError) -> str:
    text = error.message if isinstance(error, ModelError) else str(error)
    return storable(text, ERROR_TEXT_LIMIT)


def _plan(claim: work.Claim, batch_size: int, row: Work, error: ModelError | AnswerError) -> Plan:
    plan = plan_after_failure(
        kind=error.kind,
        nature=_nature(error),
        failures=_failures(claim, row, error),
        batch_size=batch_size,
        batch_limit=row.batch_limit,
        retry_seconds=settings.MEMSEEK.waking.retry_seconds,
    )
    asked = min(getattr(error, "retry_after_seconds", None) or 0.0, LONGEST_PAUSE_SECONDS)
    return Plan(max(plan.delay_seconds, asked), plan.batch_limit, plan.is_parked)


def _failures(claim: work.Claim, row: Work, error: ModelError | AnswerError) -> int:
    """Failures in a row, this one counted; a mended configuration does not count against a batch."""
    was_configuration = row.last_error_kind in CONFIGURATION_KINDS
    return 1 if was_configuration and error.kind not in CONFIGURATION_KINDS else claim.failures + 1


def _nature(error: ModelError | AnswerError) -> Nature:
    if isinstance(error, TransientModelError):
        return Nature.TRANSIENT
    return Nature.PERMANENT if error.kind in CONFIGURATION_KINDS else Nature.ANSWER


def _apply(
    claim: work.Claim, stage: Stage, batch: Batch | None, row: Work, plan: Plan, failures: int
) -> None:
    row.lease_until = None
    row.failures = 0 if plan.is_parked else failures
    row.batch_limit = plan.batch_limit
    row.last_error, row.last_error_kind = claim.run.error_text, claim.run.error_kind
    row.last_finished_at = Now()
    row.due_at = Now() + timedelta(seconds=plan.delay_seconds)
    row.save()
    if plan.is_parked:
        _emit(claim, Outbox.Event.INPUT_PARKED, _ids(_parked(claim, stage, batch)))
    else:
        _emit(claim, Outbox.Event.STEP_FAILED, {"runs": [str(claim.run.pk)]})
    wake_on_commit(
        workspace_id=claim.entity.workspace_id,
        entity_id=claim.entity.pk,
        step=claim.step,
        delay_seconds=plan.delay_seconds,
    )


def _parked(claim: work.Claim, stage: Stage, batch: Batch | None) -> Mapping[str, Sequence[Any]]:
    if batch is None:
        return stage.park_next(claim)
    stage.park(claim, batch)
    return batch.input_ids


def record_discard(claim: work.Claim, account: Account, reason: str) -> None:
    """Note that a run wrote nothing, and have it redone unless another worker holds the claim now.

    Its answer is not kept: it may hold what was erased meanwhile.
    """
    with transaction.atomic(durable=True):
        run = claim.run
        run.status = Run.Status.DISCARDED
        run.noop_reason = reason[:300]
        run.inputs, run.outputs, run.decisions = {}, {}, []
        _finish(run, account)
        Work.objects.for_entity(claim.entity).filter(step=claim.step, token=claim.token).update(
            lease_until=None, due_at=Now()
        )


def _finish(run: Run, account: Account) -> None:
    run.model = storable(account.model, 128)
    run.design_hash = account.design_hash
    run.prompt_hash, run.schema_hash = account.prompt_hash, account.schema_hash
    run.calls, run.cost = min(account.calls, MOST_CALLS), account.cost
    run.tokens_in = min(account.tokens_in, MOST_TOKENS)
    run.tokens_out = min(account.tokens_out, MOST_TOKENS)
    run.finished_at = timezone.now()
    run.milliseconds = max(0, int((run.finished_at - run.started_at).total_seconds() * 1_000))
    # A late worker must not overwrite the verdict on a run that was already given up, nor park by it.
    changed = Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING).update(
        **{name: getattr(run, name) for name in _FINISHED_FIELDS}
    )
    if not changed and run.status != Run.Status.DISCARDED:
        raise work.ClaimLostError


_FINISHED_FIELDS = (
    "status",
    "inputs",
    "outputs",
    "decisions",
    "noop_reason",
    "model",
    "design_hash",
    "prompt_hash",
    "schema_hash",
    "calls",
    "tokens_in",
    "tokens_out",
    "cost",
    "milliseconds",
    "error_kind",
    "error_text",
    "is_transient",
    "raw_answer",
    "finished_at",
)


def storable(text: str, limit: int) -> str:
    """Text as the database takes it, whatever a model said: no NUL, no half characters, not longer."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()[:limit]


def _storable_notes(value: Any) -> Any:
    """The same for every text within notes."""
    if isinstance(value, str):
        return storable(value, len(value))
    if isinstance(value, Mapping):
        return {_storable_notes(key): _storable_notes(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_storable_notes(item) for item in value]
    return value


def _ids(rows: Mapping[str, Sequence[Any]]) -> dict[str, list[str]]:
    return {layer: [str(row_id) for row_id in ids] for layer, ids in rows.items() if ids}


def _emit(claim: work.Claim, event: Outbox.Event, ids: Mapping[str, Any]) -> None:
    announce(entity=claim.entity, step=claim.step, run=claim.run, event=event, ids=ids)
