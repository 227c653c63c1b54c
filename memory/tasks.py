"""Celery's door: tasks carry ids, call one function and log one line. The rows are the truth."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import shared_task

from memory.cascade import engine, sweeping
from memory.cascade.wakeups import RUN_STEP_TASK
from memory.models import Step

logger = logging.getLogger(__name__)


@shared_task(name=RUN_STEP_TASK, ignore_result=True, acks_late=True, reject_on_worker_lost=True)
def run_step(entity_id: str, step: str) -> None:
    """Work on what is due for one step of one entity."""
    outcomes = engine.drain(entity_id=UUID(entity_id), step=Step(step))
    if outcomes:
        logger.info("%s of %s: %s", step, entity_id, ", ".join(outcomes))


@shared_task(name="memory.sweep", ignore_result=True)
def sweep() -> None:
    """Find what waits although its wake-up was lost."""
    found = sweeping.sweep()
    if found.total:
        logger.info("sweep: %s", found)
