"""A memory with a row of every sort, indexed and at rest, in a database whose rules can be put aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from memory.cascade.work import ensure_work
from memory.indexing.drafts import draw_drafts
from memory.indexing.languages import languages_of
from memory.indexing.units import replace_units
from memory.models import (
    Digest,
    EmbeddingSpace,
    Entity,
    GraphEdge,
    GraphNode,
    Layer,
    Message,
    ProcedureVersion,
    SkillInput,
    Unindexed,
    UnitVector,
    Unpromoted,
)
from tests.cast import Alice, make_alice, make_bob
from tests.factories import cite, make_claim, make_run
from tests.skills.procedures import make_procedure

LOSE_RULES = """
DO $$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT tgrelid::regclass AS relation, tgname AS name FROM pg_trigger
        WHERE tgrelid::regclass::text LIKE 'memory\\_%' AND NOT tgisinternal
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', held.name, held.relation);
    END LOOP;
    FOR held IN
        SELECT conrelid::regclass AS relation, conname AS name FROM pg_constraint
        WHERE conrelid::regclass::text LIKE 'memory\\_%' AND contype IN ('c', 'f', 'u')
        ORDER BY contype = 'u'
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', held.relation, held.name);
    END LOOP;
    FOR held IN
        SELECT indexrelid::regclass AS name FROM pg_index
        WHERE indrelid::regclass::text LIKE 'memory\\_%' AND indisunique AND NOT indisprimary
    LOOP
        EXECUTE format('DROP INDEX %s', held.name);
    END LOOP;
END $$
"""
"""Every trigger, constraint and unique index of memory, primary keys excepted. For the schema's owner, in a
transaction that is never committed."""


@dataclass(frozen=True)
class World:
    """Alice's memory and what else stands in it, beside Bob's of another workspace."""

    alice: Alice
    bob: Entity
    digest: Digest
    procedure: ProcedureVersion
    names: dict[str, Any]
    """What statements call the ids."""


def make_world() -> World:
    """Two memories that the checker finds whole, at rest."""
    alice, bob = make_alice(), make_bob()
    entity = alice.entity
    _claim_in_the_graph(entity)
    digest = _summary(alice)
    procedure = make_procedure(entity)
    SkillInput.objects.for_entity(entity).update(consumed_by=make_run(entity).pk)
    Unpromoted.objects.for_entity(entity).delete()
    for owner in (entity, bob):
        ensure_work(owner)
        _index(owner)
    names = {
        "entity": entity.pk,
        "workspace": entity.workspace_id,
        "bob": bob.pk,
        "first_message": alice.messages[0].pk,
        "second_message": alice.messages[1].pk,
        "third_message": alice.messages[2].pk,
        "bobs_message": Message.objects.for_entity(bob).get().pk,
        "approval": alice.approval.pk,
        "deadline": alice.deadline.pk,
        "old_deadline": alice.old_deadline.pk,
        "line": alice.approval_line.pk,
        "head": alice.billing.pk,
        "first_version": alice.first_version.pk,
        "trait_version": alice.trait.pk,
        "digest": digest.pk,
        "procedure": procedure.procedure_id,
        "procedure_version": procedure.pk,
    }
    return World(alice, bob, digest, procedure, names)


def lose_rules() -> None:
    """Put every rule of the database aside; what waits to be checked at the commit is checked first."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(LOSE_RULES)


def _claim_in_the_graph(entity: Entity) -> None:
    claim = make_claim(entity, "billing.plan", "annual")
    owner = {"workspace": entity.workspace, "entity": entity}
    node = GraphNode.objects.create(**owner, kind="customer", identifier="customer-123")
    began = {"valid_from": claim.occurred_at or claim.created_at}
    GraphEdge.objects.create(
        **owner, subject=node, predicate="billing.plan", value="annual", atom=claim, **began
    )


def _summary(alice: Alice) -> Digest:
    """Of the first turn of the first session."""
    session = alice.messages[0].session
    digest = Digest.objects.create(
        workspace=alice.entity.workspace,
        entity=alice.entity,
        session=session,
        kind=Digest.Kind.SUMMARY,
        number=1,
        text="Billing stays on Express.",
        until_ordinal=1,
    )
    cite(alice.entity, of_digest=digest, targets={"message": alice.messages[:1]})
    type(session).objects.filter(pk=session.pk).update(folded_until=1)
    return digest


def _index(entity: Entity) -> None:
    """What the index step does, within the transaction that is never committed."""
    waiting = Unindexed.objects.for_entity(entity)
    keys = {(Layer(row.layer), row.row): None for row in waiting}
    rows = {layer: [row for of_layer, row in keys if of_layer == layer] for layer in Layer}
    drafts = draw_drafts(entity, rows)
    units = replace_units(entity, keys, drafts, languages_of(entity, drafts))
    space = EmbeddingSpace.objects.get_or_create(name="tried@1/2", dimensions=2)[0]
    UnitVector.objects.bulk_create(
        UnitVector(
            workspace_id=unit.workspace_id, entity_id=unit.entity_id, unit=unit, space=space, embedding=[1, 0]
        )
        for unit in units
    )
    waiting.delete()
