"""Rows that go: messages, what rested on them, and everything by which they could be found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, QuerySet, Value, When
from django.db.models.functions import Now

from memory import queries
from memory.ingest.tombstones import bury_claims, bury_messages
from memory.models import (
    Atom,
    Chain,
    Digest,
    Entity,
    Erasure,
    Evidence,
    GraphEdge,
    Layer,
    LiveValue,
    Message,
    SceneVersion,
    Session,
    TaskTrace,
    TraitVersion,
    Unindexed,
    Unpromoted,
    Use,
)
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.closing import successors_of
from memory.stewardship.erasing.parts import delete_rows, found_by, in_parts, update_rows


def bury(entity: Entity, affected: Affected, erasure: Erasure) -> None:
    """Keep the hashes of messages, and of claims of other memories, that are about to go."""
    rows = Message.objects.for_entity(entity)
    for part in in_parts(sorted(affected.messages)):
        bury_messages(entity, erasure, rows.filter(pk__in=part).values_list("dedupe_key", "content_hash"))
    outside = outside_claims(entity)
    for part in in_parts(sorted(affected.atoms)):
        bury_claims(entity, erasure, outside.filter(of_atom__in=part))


def outside_claims(entity: Entity) -> QuerySet[Any, Any]:
    """Source, reference and text of what other memories claimed of the entity."""
    rows = Evidence.objects.filter(
        workspace_id=entity.workspace_id,
        entity_id=entity.pk,
        of_atom__isnull=False,
        outside_kind__isnull=False,
    )
    return rows.values_list("outside_kind", "outside_reference", "of_atom__text").order_by()


def remove_units(entity: Entity, affected: Affected) -> None:
    """Units and vectors of what goes or is rewritten, and of the turns right after erased ones. What still
    stands is indexed anew: those turns, and a scene or trait that lost an earlier version alone. Nobody
    indexes meanwhile: the lock of the index step is held until the commit."""
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    queries.one("wait_for_indexing", entity=entity.pk)
    successors = successors_of(entity, affected.messages)
    scenes = found_by(SceneVersion.objects.for_entity(entity), "pk", affected.scene_versions, "scene_id")
    traits = found_by(TraitVersion.objects.for_entity(entity), "pk", affected.trait_versions, "trait_id")
    queries.rows(
        "erase_units",
        **owner,
        messages=queries.array(affected.messages | successors),
        atoms=queries.array(affected.atoms),
        scenes=queries.array(scenes),
        traits=queries.array(traits),
    )
    queries.run("erase_bare_terms", **owner)
    waiting = Unindexed.objects.for_entity(entity)
    delete_rows(waiting, "row", affected.messages | affected.atoms | successors)
    again = ((Layer.MESSAGE, successors), (Layer.SECTION, scenes), (Layer.TRAIT, traits))
    Unindexed.objects.bulk_create(
        Unindexed(workspace_id=entity.workspace_id, entity=entity, layer=layer, row=row)
        for layer, rows in again
        for row in sorted(rows)
    )


def remove_receipts(entity: Entity, affected: Affected) -> None:
    """Receipts of what goes or loses its text, and receipts for what goes."""
    rows = Evidence.objects.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
    for column, ids in {
        "of_atom_id": affected.atoms,
        "of_digest_id": affected.digests,
        "of_line_id": affected.lines,
        "of_trait_version_id": affected.trait_versions,
        "of_procedure_line_id": affected.procedure_lines,
        "message_id": affected.messages,
        "trace_step_id": affected.trace_steps,
        "feedback_id": affected.feedback,
    }.items():
        delete_rows(rows, column, ids)


def remove_atoms(entity: Entity, affected: Affected) -> None:
    """Atoms with their place in the graph; what they had superseded stays superseded, empty chains go."""
    atoms, gone = Atom.objects.for_entity(entity), affected.atoms
    chains = found_by(atoms, "pk", gone, "chain_id")
    edges = GraphEdge.objects.for_entity(entity)
    again = found_by(edges, "pk", affected.edges, "atom_id") - gone
    delete_rows(edges, "pk", affected.edges)
    delete_rows(LiveValue.objects.for_entity(entity), "pk", affected.live_values)
    delete_rows(Unpromoted.objects.for_entity(entity), "atom_id", gone)
    for part in in_parts(sorted(gone)):
        atoms.filter(superseded_by__in=part).update(superseded_by=None)
    delete_rows(atoms, "pk", gone)
    _promote_again(entity, again)
    members = Atom.objects.filter(chain=OuterRef("pk"))
    bare = Chain.objects.for_entity(entity).exclude(Exists(members))
    delete_rows(Chain.objects.for_entity(entity), "pk", found_by(bare, "pk", chains, "pk"))


def _promote_again(entity: Entity, atoms: Iterable[UUID]) -> None:
    Unpromoted.objects.bulk_create(
        Unpromoted(workspace_id=entity.workspace_id, entity=entity, atom_id=atom) for atom in sorted(atoms)
    )


def remove_messages(entity: Entity, affected: Affected) -> None:
    """Messages and digests, and sessions that are empty by that; survivors are read and folded again."""
    messages, sessions = Message.objects.for_entity(entity), Session.objects.for_entity(entity)
    delete_rows(Digest.objects.for_entity(entity), "pk", affected.digests)
    for part in in_parts(sorted(affected.messages)):
        messages.filter(parent__in=part).update(parent=None)
    delete_rows(messages, "pk", affected.messages)
    update_rows(messages, affected.messages_again, **_PENDING)
    folded: Any = Case(When(folded_until__gt=0, ended_at__isnull=True, then=Now()), default=Value(None))
    update_rows(sessions, affected.folded_sessions, fold_asked_at=folded, folded_until=0, **_PENDING)
    for rows in (Use.objects.for_entity(entity), TaskTrace.objects.for_entity(entity)):
        for part in in_parts(sorted(affected.sessions)):
            rows.filter(session__in=part).update(session=None)
    delete_rows(sessions, "pk", affected.sessions)


_PENDING: dict[str, Any] = {"consumed_by": None, "parked_by": None, "parked_at": None}
