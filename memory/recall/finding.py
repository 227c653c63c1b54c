"""Which record of an entity an id, or an end of one, means."""

from __future__ import annotations

from typing import Any

from django.db.models import CharField, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Left

from memory.models import (
    Atom,
    Correction,
    Digest,
    Entity,
    Line,
    Message,
    Scene,
    SceneVersion,
    Trait,
    TraitVersion,
)
from memory.recall.records import Candidate
from memory.recall.short_ids import IdPart

CANDIDATES_SHOWN = 20
TEXT_SHOWN = 120


def find(entity: Entity, part: IdPart) -> tuple[Candidate, ...]:
    """All records that the digits may mean, oldest first, at most `CANDIDATES_SHOWN`; one statement."""
    first, *others = (
        _matching(rows.for_entity(entity), kind, text, part)
        for kind, rows, text in (
            ("message", Message.objects, F("text")),
            ("atom", Atom.objects, F("text")),
            ("line", Line.objects, F("text")),
            ("scene", Scene.objects, Subquery(_head_titles())),
            ("scene version", SceneVersion.objects, F("title")),
            ("trait", Trait.objects, F("slot")),
            ("trait version", TraitVersion.objects, F("text")),
            ("digest", Digest.objects, F("text")),
            ("correction", Correction.objects, F("kind")),
        )
    )
    found = first.union(*others, all=True).order_by("id")[:CANDIDATES_SHOWN]
    return tuple(Candidate(kind, id, text or "") for kind, id, text in found)


def _head_titles() -> QuerySet[SceneVersion, str]:
    return SceneVersion.objects.heads().filter(scene=OuterRef("pk")).values_list("title", flat=True)[:1]


def _matching(rows: QuerySet[Any], kind: str, text: F | Subquery, part: IdPart) -> QuerySet[Any, Any]:
    """The rows that match as (record_kind, id, shown)."""
    whole = part.whole
    if whole is not None:
        rows = rows.filter(pk=whole)
    else:
        begins = Q(pk__gte=part.first, pk__lte=part.last)
        written = rows.annotate(written_id=Cast("pk", CharField()))
        rows = written.filter(begins | Q(written_id__endswith=part.ending))
    shown = Left(Cast(text, CharField()), TEXT_SHOWN)
    described = rows.order_by().annotate(record_kind=Value(kind), shown=shown)
    matching: QuerySet[Any, Any] = described.values_list("record_kind", "id", "shown")
    return matching
