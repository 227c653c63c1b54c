"""Atoms with a past, and the graph as a value."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from memory.cascade.work import ensure_work
from memory.claims.promotion import Promoted, PromotionWorker
from memory.models import Atom, Entity, GraphEdge, GraphNode
from tests.factories import SAID_AT, make_claim, make_entity

Row = tuple[Any, ...]


def an_entity(name: str = "agent.alice-test") -> Entity:
    entity = make_entity(name)
    ensure_work(entity)
    return entity


def day(number: int) -> datetime:
    return SAID_AT + timedelta(days=number)


def a_claim(entity: Entity, predicate: str, value: object, *, on: int = 0, **values: Any) -> Atom:
    said = {"occurred_at": day(on), "last_seen_at": day(on)}
    with transaction.atomic():
        return make_claim(entity, predicate, value, **(said | values))


def replaced(old: Atom, value: object, *, on: int, **values: Any) -> Atom:
    """A later claim of the same subject and predicate takes the place of an earlier one."""
    Atom.objects.filter(pk=old.pk).update(status=Atom.Status.SUPERSEDED)
    new = a_claim(
        old.entity, old.predicate, value, on=on, chain=old.chain, identifier=old.subject_id, **values
    )
    Atom.objects.filter(pk=old.pk).update(superseded_by=new)
    return new


def promoted(entity: Entity) -> Promoted:
    return PromotionWorker(entity).run_once()


def dump(entity: Entity) -> tuple[list[Row], list[Row]]:
    """All nodes and edges, whole but for the time at which a row was written."""
    return _rows(GraphNode, entity), _rows(GraphEdge, entity)


def _rows(model: type[GraphNode] | type[GraphEdge], entity: Entity) -> list[Row]:
    names = [field.attname for field in model._meta.concrete_fields if field.name != "created_at"]
    rows: Any = model._default_manager
    return list(rows.for_entity(entity).order_by("pk").values_list(*names))


def told(entity: Entity) -> list[Row]:
    """The edges in words: subject, predicate, object or value, from day, until day."""
    edges = GraphEdge.objects.for_entity(entity).select_related("subject", "object")
    rows = [
        (
            edge.subject.identifier,
            edge.predicate,
            edge.object.identifier if edge.object else edge.value,
            _day(edge.valid_from),
            _day(edge.valid_until),
        )
        for edge in edges
    ]
    return sorted(rows, key=repr)


def _day(instant: datetime | None) -> int | None:
    return None if instant is None else (instant - SAID_AT).days


def nodes(entity: Entity) -> list[tuple[str, str]]:
    found = GraphNode.objects.for_entity(entity).order_by("kind", "identifier")
    return list(found.values_list("kind", "identifier"))
