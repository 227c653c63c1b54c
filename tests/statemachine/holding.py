"""What holds of a memory beside the checker's rules; each function gives what breaks one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db import connection
from django.db.models import Q

from memory.cascade.stages import stage_of
from memory.claims.promotion import rebuild_graph
from memory.indexing.drafts import draw_drafts
from memory.indexing.units import COLUMN
from memory.models import (
    Atom,
    Entity,
    Evidence,
    GraphEdge,
    Layer,
    Run,
    SearchUnit,
    Step,
    UnitVector,
    Work,
)
from tests.statemachine.embedding import RememberingEmbedder

BY_A_PERSON = "a person "
"""So begin the reasons of claims that were left out because a person decided otherwise."""


def transactions() -> int:
    """How many transactions wrote something so far, on the whole server."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        [(number,)] = cursor.fetchall()
    return int(number)


def nobody_comes_for(entity: Entity) -> list[Step]:
    """Steps for which something waits, although neither they nor one before them is planned or under way."""
    planned = Work.objects.for_entity(entity).filter(Q(due_at__isnull=False) | Q(lease_until__isnull=False))
    steps = set(planned.values_list("step", flat=True))
    return [
        step
        for step in Step
        if not steps & {step, *stage_of(step).upstream} and stage_of(step).waiting(entity) is not None
    ]


def _decisions(entity: Entity) -> Iterator[Mapping[str, Any]]:
    """What extraction decided about claims, over all runs that wrote."""
    runs = Run.objects.for_entity(entity).filter(step=Step.L1_EXTRACT, status=Run.Status.SUCCEEDED)
    for decisions in runs.values_list("decisions", flat=True):
        yield from (decision for decision in decisions if decision.get("atoms"))


def replaced_elsewhere(entity: Entity) -> list[Mapping[str, Any]]:
    """Decisions that put a claim in the place of others, which stand in chains of their own."""
    rows = Atom.objects.for_entity(entity).values_list("pk", "chain_id")
    chains = {str(pk): chain for pk, chain in rows}
    return [
        decision
        for decision in _decisions(entity)
        if len({chains[atom] for atom in (*decision["atoms"], *decision.get("replaced", ()))}) > 1
        and "replaced" in decision
    ]


def without_receipt(entity: Entity) -> set[tuple[str, str]]:
    """Claims and messages of which extraction said that one rests on the other, without a receipt."""
    said = {
        (atom, message)
        for decision in _decisions(entity)
        if not decision["reason"].startswith(BY_A_PERSON)
        for atom in decision["atoms"]
        for message in decision["messages"]
    }
    rows = Evidence.objects.filter(entity=entity, of_atom__isnull=False, message__isnull=False)
    return said - {(str(atom), str(message)) for atom, message in rows.values_list("of_atom", "message")}


def found_by_other_words(entity: Entity, embedder: RememberingEmbedder) -> list[str]:
    """At rest: units whose vector is missing, or that of other words than their row holds."""
    units = list(SearchUnit.objects.for_entity(entity))
    rows: dict[Layer, list[Any]] = {}
    for unit in units:
        rows.setdefault(Layer(unit.layer), []).append(getattr(unit, COLUMN[Layer(unit.layer)]))
    drafts = {(draft.layer, draft.row, draft.section): draft.meaning for draft in draw_drafts(entity, rows)}
    vectors = {vector.unit_id: vector for vector in UnitVector.objects.filter(entity=entity)}
    return [
        f"{Layer(unit.layer).name} {unit.section}"
        for unit in units
        if unit.pk not in vectors or not embedder.is_of(vectors[unit.pk], drafts[_key(unit)])
    ]


def _key(unit: SearchUnit) -> tuple[Layer, Any, str]:
    layer = Layer(unit.layer)
    return (layer, getattr(unit, COLUMN[layer]), unit.section)


def graph_made_anew(entity: Entity) -> tuple[list[Any], list[Any]]:
    """At rest: the edges as they stand, and after the graph was dropped and made again."""
    return _edges(entity), (rebuild_graph(entity), _edges(entity))[1]


def _edges(entity: Entity) -> list[Any]:
    columns = ("atom", "subject", "predicate", "object", "value", "valid_from", "valid_until")
    return list(GraphEdge.objects.for_entity(entity).order_by("pk").values_list(*columns))
