"""Work rows: marking a step due, claiming it under a lease with a fencing token, what waits or is parked."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Case, F, Q, When
from django.db.models.functions import Coalesce, Least, Now

from memory.cascade.announcing import announce
from memory.cascade.wakeups import send, wake_on_commit
from memory.llm.protocol import ModelError
from memory.models import (
    Atom,
    Entity,
    Message,
    Outbox,
    Run,
    SceneVersion,
    Session,
    SkillInput,
    Step,
    Unpromoted,
    Work,
)
from memory.models.runs import WorkQuerySet

logger = logging.getLogger(__name__)

Input = Message | Atom | SceneVersion | Session | Unpromoted | SkillInput
INPUTS: dict[Step, type[Input]] = {
    Step.L1_EXTRACT: Message,
    Step.SCENE_SYNTHESIS: Atom,
    Step.PERSONA: SceneVersion,
    Step.COMPACTION: Session,
    Step.PROMOTION: Unpromoted,
    Step.SKILL_EXTRACT: SkillInput,
}
"""The rows that each step reads."""
READ_FROM_MESSAGES = (Step.L1_EXTRACT, Step.COMPACTION)
"""No other step wakes these."""
LEASE_BEATS = 3
"""A lease is renewed so many times within its length."""


class ClaimLostError(Exception):
    """Another worker holds the work now, or the entity was erased in between: nothing may be written."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a step of an entity until the lease ends."""

    entity: Entity
    step: Step
    token: int
    epoch: int
    run: Run
    failures: int
    batch_limit: int | None
    is_flushing: bool

    @property
    def attempt(self) -> int:
        """1 for a first try, more after failures in a row."""
        return self.failures + 1


def _work(entity: Entity, step: Step) -> WorkQuerySet:
    return Work.objects.for_entity(entity).filter(step=step)


def ensure_work(entity: Entity) -> None:
    """Create the entity's row for every step, if missing."""
    Work.objects.bulk_create(
        [Work(workspace_id=entity.workspace_id, entity=entity, step=step) for step in Step],
        ignore_conflicts=True,
    )


def mark_due(*, workspace_id: UUID, entity_id: UUID, step: Step, delay_seconds: float = 0.0) -> bool:
    """Mark the step due where it was not, and wake a worker once the transaction commits.

    Returns whether this call marked it. Only an empty due time is written: moving it with every message
    would make writers of one entity wait for each other.
    """
    marked = Work.objects.filter(
        workspace_id=workspace_id, entity_id=entity_id, step=step, due_at__isnull=True
    ).update(due_at=Now() + timedelta(seconds=delay_seconds))
    if marked:
        wake_on_commit(workspace_id=workspace_id, entity_id=entity_id, step=step, delay_seconds=delay_seconds)
    return bool(marked)


def flush(entity: Entity) -> None:
    """Have everything that waits worked on without further waiting: a session or an import has ended."""
    with transaction.atomic():
        # In the order of the steps, as commits lock them: whoever goes the other way may wait in a circle.
        for step in Step:
            _work(entity, step).update(is_flushing=True)
            if step in READ_FROM_MESSAGES:
                _work(entity, step).update(due_at=Least(F("due_at"), Now()))
        for step in READ_FROM_MESSAGES:
            wake_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)


def hold_flushes(entity: Entity) -> None:
    """Within a transaction: let no flush begin before its end, so that clearing one cannot lose the next.

    A flush takes the row of the first step first, as commits do.
    """
    _work(entity, Step.L1_EXTRACT).select_for_update().first()


def postpone(*, entity: Entity, step: Step, delay_seconds: float) -> None:
    """Move a due time that came too early and wake a worker then."""
    with transaction.atomic():
        if _unleased(_work(entity, step)).update(due_at=Now() + timedelta(seconds=delay_seconds)):
            wake_on_commit(
                workspace_id=entity.workspace_id, entity_id=entity.pk, step=step, delay_seconds=delay_seconds
            )


def pull_in(*, entity: Entity, step: Step) -> None:
    """What waits is due now, whatever time was planned; whoever asked for it claims it next."""
    _unleased(_work(entity, step)).update(due_at=Now())


def hasten(*, entity: Entity, step: Step) -> None:
    """Within a transaction: haste waits for no planned time, only for the pause after a failure."""
    in_haste = Q(is_flushing=True) | Q(is_urgent=True)
    planned = _unleased(_work(entity, step)).filter(in_haste, failures=0, due_at__gt=Now())
    if planned.update(due_at=Now()):
        wake_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)


def hurry(*, entity: Entity, steps: Sequence[Step]) -> None:
    """Within a transaction that holds flushes: what a person changed is taken in without an interval.

    The pause after a failure is kept.
    """
    planned = Case(When(failures=0, then=Now()), default=Coalesce(F("due_at"), Now()))
    Work.objects.for_entity(entity).filter(step__in=steps).update(is_urgent=True, due_at=planned)
    for step in steps:
        wake_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)


def clear_due(*, entity: Entity, step: Step) -> None:
    """Nothing waits, so nothing is due and no flush is left to do; within a transaction.

    A lease that ran out is given back too: without inputs nobody would claim the work, and the sweep would
    find its worker gone again and again.
    """
    if _unleased(_work(entity, step)).update(
        due_at=None, is_flushing=False, is_urgent=False, lease_until=None
    ):
        _abandon_runs(entity, step)


def forget_due(*, entity: Entity, step: Step) -> None:
    """Another step goes first and will wake this one; a flush stays to be done."""
    _unleased(_work(entity, step)).update(due_at=None)


def note_pause(*, entity: Entity, step: Step, error: ModelError, delay_seconds: float) -> None:
    """Say on the row why nothing is asked for now, and look again later."""
    with transaction.atomic():
        _unleased(_work(entity, step)).update(
            last_error=str(error)[:1_000],
            last_error_kind=error.kind,
            due_at=Now() + timedelta(seconds=delay_seconds),
        )
        wake_on_commit(
            workspace_id=entity.workspace_id, entity_id=entity.pk, step=step, delay_seconds=delay_seconds
        )


def send_again(*, entity: Entity, step: Step) -> None:
    """Leave the rest to the next task, so that one entity does not keep a worker for ever."""
    send(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)


def _unleased(rows: WorkQuerySet) -> WorkQuerySet:
    return rows.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=Now()))


def claim(*, entity: Entity, step: Step, design: str) -> Claim | None:
    """Take the due work under a lease, or return None: losing is normal.

    An earlier run that is still marked as running lost its worker; it is recorded as abandoned.
    """
    with transaction.atomic(durable=True):
        won = _unleased(_work(entity, step).filter(due_at__lte=Now())).update(
            due_at=None,
            lease_until=Now() + timedelta(seconds=settings.MEMSEEK.waking.lease_seconds),
            token=F("token") + 1,
            worker=worker_name(),
            last_started_at=Now(),
        )
        if not won:
            return None
        return _claimed(_work(entity, step).select_related("entity").get(), design)


def _claimed(work: Work, design: str) -> Claim:
    step = Step(work.step)
    _abandon_runs(work.entity, step)
    run = Run.objects.create(
        workspace_id=work.workspace_id,
        entity=work.entity,
        step=step,
        design=design,
        token=work.token,
        erase_epoch=work.entity.erase_epoch,
        attempt=work.failures + 1,
        worker=work.worker,
    )
    announce(entity=work.entity, step=step, run=run, event=Outbox.Event.STEP_STARTED)
    return Claim(
        entity=work.entity,
        step=step,
        token=work.token,
        epoch=work.entity.erase_epoch,
        run=run,
        failures=work.failures,
        batch_limit=work.batch_limit,
        is_flushing=work.is_flushing,
    )


def _abandon_runs(entity: Entity, step: Step) -> None:
    """Record that runs still marked as running lost their worker."""
    Run.objects.for_entity(entity).filter(step=step, status=Run.Status.RUNNING).update(
        status=Run.Status.ABANDONED, error_kind="worker_lost", finished_at=Now()
    )


def lock_claim(held: Claim) -> Work:
    """Within the committing transaction: lock the entity and the work, or raise ClaimLostError.

    The entity's row is the mutex of all commits of one entity, so what a step re-checks cannot change
    before it has written.
    """
    epoch = (
        Entity.objects.select_for_update(no_key=True)
        .filter(workspace_id=held.entity.workspace_id, pk=held.entity.pk)
        .values_list("erase_epoch", flat=True)
        .first()
    )
    work = _work(held.entity, held.step).select_for_update().filter(token=held.token).first()
    if work is None or epoch != held.epoch:
        raise ClaimLostError
    return work


def fence(entity: Entity, *, reason: str) -> None:
    """Within a transaction that holds the entity: whoever works on it now writes nothing and starts anew."""
    for step in Step:
        # In the order of the steps, as a flush takes them.
        _work(entity, step).update(
            token=F("token") + 1, lease_until=None, due_at=None, failures=0, batch_limit=None
        )
    Run.objects.for_entity(entity).filter(status=Run.Status.RUNNING).update(
        status=Run.Status.DISCARDED, noop_reason=reason, finished_at=Now()
    )


def interrupt(entity: Entity, *, steps: Sequence[Step], reason: str) -> None:
    """Within a transaction that holds the entity: whoever works on these steps has to read again.

    Unlike a fence it leaves alone what nobody works on: times that were planned, failures, flushes.
    """
    for step in steps:
        running = _work(entity, step).filter(lease_until__isnull=False)
        if running.update(token=F("token") + 1, lease_until=None, due_at=Now()):
            wake_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
    Run.objects.for_entity(entity).filter(step__in=steps, status=Run.Status.RUNNING).update(
        status=Run.Status.DISCARDED, noop_reason=reason, finished_at=Now()
    )


@contextmanager
def kept_lease(held: Claim) -> Iterator[None]:
    """Renew the lease from a thread of its own for as long as the block runs."""
    ended = threading.Event()
    interval = settings.MEMSEEK.waking.lease_seconds / LEASE_BEATS
    beat = threading.Thread(target=_beat, args=(held, ended, interval), daemon=True, name="lease")
    beat.start()
    try:
        yield
    finally:
        ended.set()
        beat.join()


def _beat(held: Claim, ended: threading.Event, interval: float) -> None:
    while not ended.wait(interval):
        try:
            _work(held.entity, held.step).filter(token=held.token).update(
                lease_until=Now() + timedelta(seconds=settings.MEMSEEK.waking.lease_seconds)
            )
        except DatabaseError as error:
            # One beat is missed; the next one comes on a new connection, before the lease ends.
            logger.warning("the lease of %s was not renewed: %s", held.step, type(error).__name__)
        finally:
            connection.close()


def worker_name() -> str:
    """Host and process id, as heartbeats name the process too."""
    return f"{socket.gethostname()}:{os.getpid()}"


def pending_counts(entity: Entity) -> dict[Step, int]:
    """How many inputs wait for each step."""
    return {step: rows.objects.for_entity(entity).pending().count() for step, rows in INPUTS.items()}


def parked_counts(entity: Entity) -> dict[Step, int]:
    """How many inputs each step has set aside after failures."""
    return {step: rows.objects.for_entity(entity).parked().count() for step, rows in INPUTS.items()}


def retry_parked(*, entity: Entity, step: Step, run: UUID | None = None) -> int:
    """Put the parked inputs of a step back in line, or only those that one run parked; returns how many."""
    parked = INPUTS[step].objects.for_entity(entity).parked()
    if run is not None:
        parked = parked.filter(parked_by=run)
    with transaction.atomic():
        count = parked.update(parked_at=None, parked_by=None)
        if count:
            _work(entity, step).update(failures=0, batch_limit=None)
            mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
    return count
