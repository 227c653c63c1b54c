"""Work whose worker vanished is given back even when nothing of its input is left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models.functions import Now

from memory.cascade import work
from memory.cascade.engine import drain, settle_entity
from memory.cascade.sweeping import Swept, sweep
from memory.ingest.entities import ensure_entity
from memory.models import Message, Run, Step, Work
from memory.stewardship.verify import verify
from tests.factories import make_pending_message, make_workspace

PAST = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.django_db(transaction=True)
def test_a_lease_that_a_wrong_clock_gave_does_not_last_until_that_time() -> None:
    entity = ensure_entity(workspace=make_workspace(), name="agent.alice")
    make_pending_message(entity, "My locker is number 12.")
    row = Work.objects.for_entity(entity).filter(step=Step.L1_EXTRACT)
    row.update(due_at=PAST)
    assert work.claim(entity=entity, step=Step.L1_EXTRACT, design=entity.workspace.design) is not None
    # The database's clock stood days ahead; the worker is gone, and the clock was put right.
    row.update(lease_until=Now() + timedelta(days=3))
    assert [problem.kind for problem in verify(entity)] == ["endless_lease"]
    assert sweep() == Swept(vanished=1, overdue=1)
    settle_entity(entity)
    assert [problem.kind for problem in verify(entity)] == []
    assert Message.objects.for_entity(entity).pending().count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_lost_claim_without_inputs_is_not_found_again_and_again() -> None:
    entity = ensure_entity(workspace=make_workspace(), name="agent.alice")
    make_pending_message(entity, "My locker is number 12.")
    row = Work.objects.for_entity(entity).filter(step=Step.L1_EXTRACT)
    row.update(due_at=PAST)
    assert work.claim(entity=entity, step=Step.L1_EXTRACT, design=entity.workspace.design) is not None
    # The worker dies, and what it was reading is erased.
    row.update(lease_until=PAST)
    Message.objects.for_entity(entity).delete()
    assert sweep() == Swept(vanished=1, overdue=1)
    drain(entity_id=entity.pk, step=Step.L1_EXTRACT)
    assert sweep() == Swept()
    assert [run.status for run in Run.objects.for_entity(entity)] == [Run.Status.ABANDONED]
    assert verify(entity, is_settled=True) == []
