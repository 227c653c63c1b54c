"""Evidence as receipts on a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from django.db.models import QuerySet

from memory.fixed_queries import FixedQuery, one_of
from memory.models import Evidence
from showcase.access import Scope
from showcase.links import anchor, record_url
from showcase.parts import Receipt

_TARGETS = ("message", "atom", "line", "correction")


def _evidence(*, workspace: UUID, entity: UUID, derived: list[UUID]) -> QuerySet[Evidence]:
    owners = one_of("of_trait_version", derived) | one_of("of_line", derived) | one_of("of_atom", derived)
    return Evidence.objects.filter(owners, workspace=workspace, entity=entity).order_by("pk")


_EVIDENCE = FixedQuery(_evidence, workspace=UUID, entity=UUID, derived=list[UUID])


def receipts_of(
    scope: Scope, derived: Iterable[UUID], *, here: Collection[UUID] = frozenset()
) -> Mapping[UUID, tuple[Receipt, ...]]:
    """What atoms, lines and trait versions rest on, in one statement; every id has an entry.

    Receipts of what is `here` lead to its place on the page, others to the pages of their records.
    """
    ids = list(derived)
    rows = _EVIDENCE.rows(workspace=scope.entity.workspace_id, entity=scope.entity.pk, derived=ids)
    found: dict[UUID, list[Receipt]] = defaultdict(list)
    for row in rows:
        owner = row.of_trait_version_id or row.of_line_id or row.of_atom_id
        if owner is not None:
            found[owner].append(receipt_of(scope, row, here=here))
    return {id: tuple(found[id]) for id in ids}


def receipt_of(scope: Scope, row: Evidence, *, here: Collection[UUID] = frozenset()) -> Receipt:
    """The target of one row of evidence."""
    for kind in _TARGETS:
        id: UUID | None = getattr(row, f"{kind}_id")
        if id is not None:
            url = f"#{anchor(kind, id)}" if id in here else record_url(scope, kind, id)
            return Receipt(kind, id, url)
    return Receipt("outside", None, text=f"{row.outside_kind}: {row.outside_reference}")
