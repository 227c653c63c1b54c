"""The erase itself: one transaction under the entity's lock and a new erase epoch."""

from __future__ import annotations

from uuid import UUID

from django.db.models import F
from django.utils import timezone

from memory import queries
from memory.cascade import work
from memory.cascade.rebuilding.lifecycle import discard_open
from memory.cascade.stages import stage_of
from memory.indexing.wakeups import wake_index_on_commit
from memory.ingest.attempts import in_transaction
from memory.ingest.tombstones import bury_claims, bury_messages
from memory.models import Entity, Erasure, Message, Outbox, Session, Step
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.closing import affected_by
from memory.stewardship.erasing.planning import is_open
from memory.stewardship.erasing.removing import (
    bury,
    outside_claims,
    remove_atoms,
    remove_messages,
    remove_receipts,
    remove_units,
)
from memory.stewardship.erasing.rewriting import rewrite_scenes, rewrite_traits
from memory.stewardship.erasing.scopes import Scope, choose, scope_from
from memory.stewardship.erasing.scrubbing import (
    remove_skill_inputs,
    rename_sessions,
    scrub_records,
    scrub_skills,
)
from memory.stewardship.erasing.whole_entity import counts_of, delete_entity

FENCED = "some of what it read was erased meanwhile"
BURIED_AT_ONCE = 2_000


def erase(*, erasure: Erasure, actor: Actor) -> Erasure:
    """Do what was planned, whole or not at all, and say in `counts` what went.

    Steps that are under way write nothing of what they read, their answers included. Raises
    RefusedChangeError for a plan that is done, expired or of an entity that is gone, and StaleChangeError
    where other rows would go than were shown; nothing is changed by either. Tried again where it met a
    writer who held what it waited for.
    """
    return in_transaction(lambda: _erase(erasure, actor))


def _erase(erasure: Erasure, actor: Actor) -> Erasure:
    entity = _lock(erasure)
    plan = Erasure.objects.select_for_update().get(pk=erasure.pk)
    if not is_open(plan):
        raise RefusedChangeError("This erase is done already, or its preview is too old: look again.")
    scope = scope_from(plan.selection)
    counts = _erase_entity(entity, plan) if scope.kind == "entity" else _erase_part(entity, plan, scope)
    return _finish(plan, actor, counts, of=entity.pk)


def _lock(erasure: Erasure) -> Entity:
    """The row that every commit of the entity's steps takes first."""
    rows = Entity.objects.select_for_update(no_key=True, of=("self",)).select_related("workspace")
    entity = rows.filter(workspace_id=erasure.workspace_id, erasures=erasure.pk).first()
    if entity is None:
        raise RefusedChangeError("The entity is gone.")
    return entity


def _lock_out_writers(entity: Entity) -> None:
    """Writers hold their session and refer to the entity: first let them finish, then keep them all out.

    The index step refers to it at its commit, and holds what goes until then.
    """
    work.fence(entity, reason=FENCED)
    queries.one("wait_for_indexing", entity=entity.pk)
    sessions = Session.objects.for_entity(entity).order_by("external_id")
    list(sessions.select_for_update(no_key=True).values_list("pk"))
    Entity.objects.select_for_update(of=("self",)).get(pk=entity.pk)


def _erase_entity(entity: Entity, plan: Erasure) -> dict[str, int]:
    _lock_out_writers(entity)
    counts = counts_of(entity)
    said = Message.objects.for_entity(entity).order_by().values_list("dedupe_key", "content_hash")
    bury_messages(entity, plan, said.iterator(BURIED_AT_ONCE))
    bury_claims(entity, plan, outside_claims(entity))
    delete_entity(entity)
    plan.entity = None
    plan.reason = ""
    return counts


def _erase_part(entity: Entity, plan: Erasure, scope: Scope) -> dict[str, int]:
    _lock_sessions(entity, scope)
    affected = affected_by(entity, scope)
    if affected.ground != plan.ground:
        raise StaleChangeError("Something changed since the preview: other rows would go than were shown.")
    discard_open(entity)
    work.fence(entity, reason=FENCED)
    Entity.objects.filter(pk=entity.pk).update(erase_epoch=F("erase_epoch") + 1)
    _take_away(entity, plan, affected)
    if plan.pk in affected.erasures:
        plan.reason = ""
    _wake(entity)
    return affected.counts


def _lock_sessions(entity: Entity, scope: Scope) -> None:
    """Nobody appends to a session that may go; in the order in which appending locks them."""
    messages = Message.objects.filter(pk__in=choose(entity, scope).messages)
    touched = {*scope.sessions, *messages.order_by().values_list("session_id", flat=True)}
    rows = Session.objects.for_entity(entity).filter(pk__in=touched).order_by("external_id")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def _take_away(entity: Entity, plan: Erasure, affected: Affected) -> None:
    """First what is rewritten by the receipts, then the receipts, then the rows from above to below."""
    now = timezone.now()
    bury(entity, affected, plan)
    remove_units(entity, affected)
    rewrite_traits(entity, affected, now)
    rewrite_scenes(entity, affected, plan, now)
    scrub_skills(entity, affected, now)
    remove_receipts(entity, affected)
    remove_atoms(entity, affected)
    remove_skill_inputs(entity, affected)
    remove_messages(entity, affected)
    rename_sessions(entity, affected)
    scrub_records(entity, affected, now)


def _wake(entity: Entity) -> None:
    for step in Step:
        if stage_of(step).waiting(entity) is not None:
            work.mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=step)
    wake_index_on_commit(workspace_id=entity.workspace_id, entity_id=entity.pk)


def _finish(plan: Erasure, actor: Actor, counts: dict[str, int], *, of: UUID) -> Erasure:
    plan.status = Erasure.Status.DONE
    plan.selection = {}
    plan.counts = counts
    plan.done_at = timezone.now()
    for name, value in actor.columns.items():
        setattr(plan, name, value)
    plan.save()
    Outbox.objects.create(
        workspace_id=plan.workspace_id,
        entity=plan.entity,
        event=Outbox.Event.ERASED,
        ids={"erasure": str(plan.pk), **({} if plan.entity else {"entity": str(of)})},
    )
    return plan
