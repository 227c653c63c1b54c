"""The engine: claim, read, call, validate, commit. Written once, for every step.

A model is called between two transactions, never inside one. What a run read is re-checked when it commits;
a run whose claim was lost, or whose entity was erased, writes nothing at all.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models.functions import Now

from memory.cascade import work
from memory.cascade.asking import Account, AnswerError, Asker
from memory.cascade.checkpoints import reached
from memory.cascade.designs import UnknownDesignError, design_of_run
from memory.cascade.recording import record_discard, record_failure, record_success
from memory.cascade.stage import Batch, Stage, StaleInputsError, Verdict
from memory.cascade.stages import WITHOUT_MODEL, stage_of
from memory.cascade.waking import (
    Circumstances,
    compaction_due,
    extract_due,
    persona_due,
    promotion_due,
    synthesis_due,
)
from memory.llm.budgets import Budgeted, RunBudget, ensure_within_daily_budget
from memory.llm.choosing import model_of
from memory.llm.protocol import (
    BudgetExceeded,
    Model,
    ModelError,
    ModelReply,
    ModelRequest,
    PermanentModelError,
)
from memory.models import Entity, Run, Step, Work
from memseek_site.log_fields import current_fields

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 60.0
BUDGET_RECHECK_SECONDS = 600.0


class _NoModel:
    """Stands where no model is: a step that asks none never notices."""

    name = ""

    def answer(self, request: ModelRequest) -> ModelReply:
        """Refuse."""
        raise PermanentModelError("no_model", "No model is configured for this step.")


NO_MODEL = _NoModel()


class Outcome(StrEnum):
    """How one turn of the engine ended."""

    DONE = "done"
    FAILED = "failed"
    DISCARDED = "discarded"
    IDLE = "idle"
    """Nothing waits, it is too early, somebody else works on it, or the step is paused."""


def drain(
    *, entity_id: UUID, step: Step, seconds: float = DRAIN_SECONDS, model: Model | None = None
) -> list[Outcome]:
    """Run the step until nothing is due or the time is up; what is left then is woken again.

    The settings choose the model unless one is given. Without any (`LLM_FAKE=1`) everything that needs one
    goes on waiting.
    """
    entity = Entity.objects.select_related("workspace").filter(pk=entity_id).first()
    if entity is None:
        return []
    model = model or model_of(entity.workspace_id) or (NO_MODEL if step in WITHOUT_MODEL else None)
    if model is None:
        return []
    stage = stage_of(step)
    ends = time.monotonic() + seconds
    outcomes: list[Outcome] = []
    while (outcome := turn(entity=entity, stage=stage, model=model)) is not Outcome.IDLE:
        outcomes.append(outcome)
        if time.monotonic() > ends:
            work.send_again(entity=entity, step=step)
            break
    return outcomes


def turn(*, entity: Entity, stage: Stage, model: Model, design: str | None = None) -> Outcome:
    """One attempt at the step, if it is due, not paused and within the workspace's budget.

    It runs under the workspace's design unless another one is named.
    """
    if stage.step in entity.paused_steps or not _is_due(entity, stage):
        return Outcome.IDLE
    if stage.step not in WITHOUT_MODEL and not _is_within_budget(entity, stage):
        return Outcome.IDLE
    claim = work.claim(entity=entity, step=stage.step, design=design or entity.workspace.design)
    if claim is None:
        return Outcome.IDLE
    with work.kept_lease(claim):
        outcome = _attempt(claim, stage, model)
    _tell(claim, outcome)
    return outcome


def _tell(claim: work.Claim, outcome: Outcome) -> None:
    """One line a run: which, of what, how it ended, what it cost."""
    run = claim.run
    told = ("attempt", "milliseconds", "model", "calls", "tokens_in", "tokens_out", "error_kind")
    ids = {"run": run.pk, "workspace": run.workspace_id, "entity": run.entity_id, "step": claim.step}
    # A command that runs steps itself, with a person before it, tells of them in its own words.
    level = logging.INFO if "step" in current_fields() else logging.DEBUG
    logger.log(level, "run", extra={**ids, "outcome": outcome, **{name: getattr(run, name) for name in told}})


def run_now(*, entity: Entity, stage: Stage) -> Run | None:
    """One attempt at a step that asks no model, though it may not be due yet; gives its run, good or bad.

    None when nothing waits, the step is paused, or another worker has the work in hand.
    """
    if stage.step in entity.paused_steps or stage.waiting(entity) is None:
        return None
    work.pull_in(entity=entity, step=stage.step)
    claim = work.claim(entity=entity, step=stage.step, design=entity.workspace.design)
    if claim is None:
        return None
    with work.kept_lease(claim):
        _attempt(claim, stage, NO_MODEL)
    return claim.run


def _is_due(entity: Entity, stage: Stage) -> bool:
    """Whether the step should start now; a due time that came too early is moved."""
    row = Work.objects.for_entity(entity).filter(step=stage.step).annotate(now=Now()).first()
    if row is None:
        return False
    now: datetime = row.now  # type: ignore[attr-defined]  # the database's clock decides
    if row.due_at is None or row.due_at > now:
        return False
    due = due_time(entity=entity, stage=stage, row=row, now=now)
    if due is None:
        return _settle_idle(entity, stage)
    if due > now:
        work.postpone(entity=entity, step=stage.step, delay_seconds=(due - now).total_seconds())
    return due <= now


def due_time(*, entity: Entity, stage: Stage, row: Work, now: datetime) -> datetime | None:
    """When what waits should be worked on, None when nothing waits or another step goes first."""
    waiting = stage.waiting(entity)
    if waiting is None:
        return None
    circumstances = Circumstances(
        now=now,
        waiting=waiting,
        is_flushing=row.is_flushing,
        is_urgent=row.is_urgent,
        is_upstream_busy=_is_busy(entity, stage.upstream),
        last_finished=row.last_finished_at,
    )
    rule = {
        Step.L1_EXTRACT: extract_due,
        Step.SCENE_SYNTHESIS: synthesis_due,
        Step.PERSONA: persona_due,
        Step.COMPACTION: compaction_due,
        Step.PROMOTION: promotion_due,
        Step.SKILL_EXTRACT: extract_due,
    }[stage.step]
    return rule(circumstances, settings.MEMSEEK.waking)


def _is_busy(entity: Entity, steps: Sequence[Step]) -> bool:
    """Whether some step has inputs and is neither failing nor paused."""
    failing = set(
        Work.objects.for_entity(entity).filter(step__in=steps, failures__gt=0).values_list("step", flat=True)
    )
    return any(
        step not in failing and step not in entity.paused_steps and stage_of(step).waiting(entity) is not None
        for step in steps
    )


def _settle_idle(entity: Entity, stage: Stage) -> bool:
    """Clear what is not due after all, hand a flush on, and look again for what was stored meanwhile."""
    with transaction.atomic():
        work.hold_flushes(entity)
        # Upstream first: what it commits between the two looks is then seen by the second one.
        is_busy = _is_busy(entity, stage.upstream)
        if not is_busy and stage.waiting(entity) is None:
            work.clear_due(entity=entity, step=stage.step)
            for step in stage.downstream:
                _mark(entity, step)
        else:
            work.forget_due(entity=entity, step=stage.step)
    if stage.waiting(entity) is not None and not _is_busy(entity, stage.upstream):
        with transaction.atomic():
            _mark(entity, stage.step)
    return False


def _mark(entity: Entity, step: Step) -> None:
    if stage_of(step).waiting(entity) is not None or _is_flushing(entity, step):
        work.mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
        work.hasten(entity=entity, step=step)


def _is_flushing(entity: Entity, step: Step) -> bool:
    return Work.objects.for_entity(entity).filter(step=step, is_flushing=True).exists()


def _is_within_budget(entity: Entity, stage: Stage) -> bool:
    """Whether the workspace may ask models today; if not, the row says so until it may."""
    try:
        ensure_within_daily_budget(entity.workspace)
    except BudgetExceeded as error:
        pause = min(error.retry_after_seconds or BUDGET_RECHECK_SECONDS, BUDGET_RECHECK_SECONDS)
        work.note_pause(entity=entity, step=stage.step, error=error, delay_seconds=pause)
        return False
    return True


def _attempt(claim: work.Claim, stage: Stage, model: Model) -> Outcome:
    reached("after_claim")
    account = Account()
    batch: Batch | None = None
    try:
        batch = stage.read(claim)
        if batch is None:
            return _commit(claim, stage, None, (), account)
        reached("after_read")
        verdicts = _ask(claim, stage, batch, account, model)
        reached("before_commit")
        return _commit(claim, stage, batch, verdicts, account)
    except (ModelError, AnswerError) as error:
        failure = error
    except (OperationalError, InterfaceError):
        # The database itself failed: the lease runs out and another worker takes the work over.
        raise
    except Exception as error:
        # A mistake of this program over these inputs: visible, retried, split and parked like a bad answer.
        logger.exception("%s of %s failed", claim.step, claim.entity.pk)
        kind = "unknown_design" if isinstance(error, UnknownDesignError) else "internal"
        failure = AnswerError(kind, f"{type(error).__name__}: {error}", account.last_reply)
    return Outcome.FAILED if record_failure(claim, stage, batch, account, failure) else Outcome.DISCARDED


def _ask(claim: work.Claim, stage: Stage, batch: Batch, account: Account, model: Model) -> list[Verdict[Any]]:
    design = design_of_run(claim.run)
    account.design_hash = design.digest
    return [
        Asker(
            # A budget for each question: the pieces of one long message cannot be split any further.
            model=Budgeted(model, RunBudget.configured()),
            design=design,
            task=stage.step.value,
            account=account,
            is_retry=claim.failures > 0,
        ).ask(question)
        for question in batch.questions
    ]


def _commit(
    claim: work.Claim, stage: Stage, batch: Batch | None, verdicts: Sequence[Verdict[Any]], account: Account
) -> Outcome:
    try:
        with transaction.atomic(durable=True):
            row = work.lock_claim(claim)
            record_success(claim, stage, batch, verdicts, account, row)
            reached("inside_commit")
    except StaleInputsError as error:
        record_discard(claim, account, str(error) or "what it read had changed")
        return Outcome.DISCARDED
    except work.ClaimLostError:
        record_discard(claim, account, "its claim was lost")
        return Outcome.DISCARDED
    reached("after_commit")
    return Outcome.DONE


def settle_entity(entity: Entity, *, model: Model | None = None, timeout_seconds: float = 60.0) -> None:
    """Run the whole cascade of an entity in this process, without waiting for quiet."""
    ends = time.monotonic() + timeout_seconds
    work.flush(entity)
    while time.monotonic() < ends:
        ran = [drain(entity_id=entity.pk, step=step, seconds=timeout_seconds, model=model) for step in Step]
        if not any(ran):
            return
