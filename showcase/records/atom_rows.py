"""The rows around an atom: its chain, what it rests on, what rests on it, and what people ruled about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Case, QuerySet, Subquery, When
from django.http import Http404

from memory.models import Atom, Correction, Entity, Evidence, VersionLine

CHAIN_LIMIT = 60
RECEIPTS_LIMIT = 100
LINES_LIMIT = 200
RULINGS_LIMIT = 20


def chain_of(entity: Entity, id: UUID) -> tuple[Atom, Sequence[Atom]]:
    """An atom and all of its chain in the order of what was said, edges of the graph loaded; Http404.

    Of a longer chain the newest. One statement.
    """
    atoms = Atom.objects.for_entity(entity)
    chain = atoms.filter(chain=Subquery(atoms.filter(pk=id).values("chain")[:1]))
    rows = chain.select_related("edge__subject", "edge__object").defer("terms")
    found = list(rows.order_by(Case(When(pk=id, then=0), default=1), "-seq")[:CHAIN_LIMIT])
    if not found:
        raise Http404
    return found[0], sorted(found, key=lambda atom: (atom.last_seen_at or atom.created_at, atom.seq))


def receipts_below(entity: Entity, id: UUID) -> Sequence[Evidence]:
    """Its receipts with the messages and corrections in them, in the order they were given; one statement."""
    rows = _evidence(entity).filter(of_atom=id).select_related("message__session", "correction__user")
    return list(rows.order_by("pk")[:RECEIPTS_LIMIT])


def receipts_above(entity: Entity, id: UUID) -> Sequence[Evidence]:
    """Receipts of the lines that rest on it; one statement."""
    rows = _evidence(entity).filter(atom=id, of_line__isnull=False).select_related("of_line")
    return list(rows.order_by("pk")[:LINES_LIMIT])


def traits_above(entity: Entity, lines: Sequence[UUID]) -> Sequence[Evidence]:
    """Receipts of the wordings that rest on lines; one statement."""
    rows = _evidence(entity).filter(line__in=lines, of_trait_version__isnull=False)
    return list(rows.select_related("of_trait_version__trait").order_by("pk")[:LINES_LIMIT])


def standing_in(entity: Entity, lines: Sequence[UUID]) -> Mapping[UUID, str]:
    """The titles of the scenes in whose current version lines stand; one statement."""
    places = VersionLine.objects.filter(workspace_id=entity.workspace_id, entity=entity)
    return dict(places.filter(line__in=lines, version__is_head=True).values_list("line", "version__title"))


def rulings_on(entity: Entity, id: UUID) -> Sequence[Correction]:
    """What people changed about it, the latest last; one statement."""
    rows = Correction.objects.for_entity(entity).filter(kind__startswith="atom_", after__atom=str(id))
    return list(rows.select_related("user", "key").order_by("-created_at")[:RULINGS_LIMIT])[::-1]


def _evidence(entity: Entity) -> QuerySet[Evidence, Any]:
    return Evidence.objects.filter(workspace_id=entity.workspace_id, entity=entity)
