"""Celery's door: tasks carry ids, call one function and log one line. The rows are the truth."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import shared_task
from django.db import DatabaseError

from memory.cascade import engine, sweeping
from memory.cascade.wakeups import RUN_STEP_TASK
from memory.claims.ending import begin_claims, end_claims, forget_live_values
from memory.indexing import step as indexing
from memory.indexing.sweeping import has_waiting, send_for_entity, sweep_index
from memory.indexing.vector_index import build_vector_index
from memory.indexing.wakeups import INDEX_TASK, VECTOR_INDEX_TASK
from memory.ingest.idle import end_idle_sessions
from memory.models import Step
from memory.stewardship.retention import RetentionFailedError, apply_retention
from memseek_site.log_fields import log_fields

logger = logging.getLogger(__name__)


@shared_task(name=RUN_STEP_TASK, ignore_result=True, acks_late=True, reject_on_worker_lost=True)
def run_step(entity_id: str, step: str) -> None:
    """Work on what is due for one step of one entity, and have what it wrote indexed."""
    with log_fields(entity=entity_id, step=step):
        outcomes = engine.drain(entity_id=UUID(entity_id), step=Step(step))
        if outcomes:
            send_for_entity(UUID(entity_id))
            logger.info("%s of %s: %s", step, entity_id, ", ".join(outcomes))


@shared_task(name=INDEX_TASK, ignore_result=True, acks_late=True, reject_on_worker_lost=True)
def index_entity(entity_id: str) -> None:
    """Index what waits of one entity; what the time did not suffice for is left to the next task."""
    done = indexing.index_entity(entity_id=UUID(entity_id))
    if done:
        logger.info("index of %s: %s rows", entity_id, done)
        if has_waiting(UUID(entity_id)):
            send_for_entity(UUID(entity_id))


@shared_task(name=VECTOR_INDEX_TASK, ignore_result=True, acks_late=True, reject_on_worker_lost=True)
def build_entity_vector_index(entity_id: str, space_id: int) -> None:
    """Build the vector index of an entity that has grown large."""
    try:
        was_built = build_vector_index(entity_id=UUID(entity_id), space_id=space_id)
    except DatabaseError as error:
        # Search compares all vectors as before; the next index step asks for the index again.
        logger.warning("no vector index of %s: %s", entity_id, error)
        return
    if was_built:
        logger.info("vector index of %s in space %s built", entity_id, space_id)


@shared_task(name="memory.sweep", ignore_result=True)
def sweep() -> None:
    """Find what waits although its wake-up was lost; end silent sessions; follow the time of claims."""
    sessions, claims = end_idle_sessions(), begin_claims() + end_claims()
    if sessions or claims:
        logger.info("sweep: ended %s silent sessions, time moved %s claims", sessions, claims)
    forget_live_values()
    found = sweeping.sweep()
    waiting = sweep_index()
    if found.total or waiting:
        logger.info("sweep: %s, %s entities to index", found, waiting)


@shared_task(name="memory.retention", ignore_result=True)
def retain() -> None:
    """Remove what is beyond its days; a failure ends the task as one, once everything else was tried."""
    done = apply_retention()
    removed = {kind: count for kind, count in done.removed.items() if count}
    if removed:
        logger.info("retention removed %s", ", ".join(f"{count} {kind}" for kind, count in removed.items()))
    if done.failed:
        raise RetentionFailedError(f"retention failed for {', '.join(done.failed)}")
