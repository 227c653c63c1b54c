"""What every correction does: hold the entity, have steps start again, write down who and why, wake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from memory.cascade import work
from memory.cascade.stages import LADDER, stage_of
from memory.indexing.wakeups import wake_index_on_commit
from memory.ingest.storable import is_blank, text_problem
from memory.models import Correction, Entity, Outbox, Step
from memory.models.base import new_id
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.transactions import durable_transaction

REASON_LIMIT = 500
INTERRUPTED = "a person corrected something meanwhile"
FOLLOWING = (Step.SCENE_SYNTHESIS, Step.PERSONA, Step.PROMOTION)
"""The steps that may have to follow a correction."""


@contextmanager
def correcting(entity: Entity) -> Iterator[Entity]:
    """One durable transaction that holds the entity as commits of the cascade do; gives the locked row.

    At its end steps of the ladder that are under way are discarded and due again, so that none of them writes
    what it thought before the correction, and what has to follow is due at once. An exception undoes it all.
    """
    with durable_transaction():
        held = hold(entity)
        work.hold_flushes(held)
        yield held
        work.interrupt(held, steps=LADDER, reason=INTERRUPTED)
        _wake(held)


def hold(entity: Entity) -> Entity:
    """Within a transaction: lock the entity's row; RefusedChangeError when it is gone."""
    rows = Entity.objects.select_for_update(no_key=True, of=("self",)).select_related("workspace")
    held = rows.filter(pk=entity.pk, workspace_id=entity.workspace_id).first()
    if held is None:
        raise RefusedChangeError("This memory is not there any more.")
    return held


def _wake(entity: Entity) -> None:
    if following := [step for step in FOLLOWING if stage_of(step).waiting(entity) is not None]:
        work.hurry(entity=entity, steps=following)
    wake_index_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk)


def record(
    entity: Entity,
    *,
    actor: Actor,
    reason: str,
    kind: Correction.Kind,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    correction_id: UUID | None = None,
) -> Correction:
    """Write down who changed what and why, and tell streams; RefusedChangeError for a reason too long."""
    if len(reason) > REASON_LIMIT or text_problem(reason):
        raise RefusedChangeError(f"A reason is a text of at most {REASON_LIMIT} characters.")
    correction = Correction.objects.create(
        id=correction_id or new_id(),
        workspace_id=entity.workspace_id,
        entity=entity,
        kind=kind,
        reason=reason,
        before=before,
        after=after,
        **actor.columns,
    )
    Outbox.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        event=Outbox.Event.STEP_DONE,
        ids={"step": "correction", "correction": str(correction.pk)},
    )
    return correction


def clean_text(text: str, *, limit: int, name: str) -> str:
    """A text in one line as it is stored; RefusedChangeError, which names it, when it cannot be."""
    cleaned = " ".join(text.split())
    if is_blank(cleaned):
        raise RefusedChangeError(f"{name} is empty.")
    if problem := text_problem(cleaned):
        raise RefusedChangeError(f"{name} {problem}.")
    if len(cleaned) > limit:
        raise RefusedChangeError(f"{name} has {len(cleaned)} characters, at most {limit} are stored.")
    return cleaned
