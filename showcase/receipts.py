"""Evidence as receipts on a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from memory.fixed_queries import FixedQuery, one_of
from memory.models import Evidence
from showcase.access import Scope
from showcase.links import anchor, record_url
from showcase.parts import Receipt

_TARGETS = ("message", "atom", "line", "correction")


class Ends(NamedTuple):
    """What a row of evidence is between; its columns by their names. A page reads hundreds."""

    of_atom_id: UUID | None
    of_line_id: UUID | None
    of_trait_version_id: UUID | None
    message_id: UUID | None
    atom_id: UUID | None
    line_id: UUID | None
    correction_id: UUID | None
    outside_kind: str | None
    outside_reference: str | None

    @property
    def owner(self) -> UUID | None:
        """The derived row of the ladder; None for one beside it."""
        return self.of_trait_version_id or self.of_line_id or self.of_atom_id


def _evidence(*, workspace: UUID, entity: UUID, derived: list[UUID]) -> QuerySet[Evidence, Any]:
    owners = one_of("of_trait_version", derived) | one_of("of_line", derived) | one_of("of_atom", derived)
    rows = Evidence.objects.filter(owners, workspace=workspace, entity=entity).order_by("pk")
    return rows.values_list(*Ends._fields)


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
    for row in map(Ends._make, rows):
        if row.owner is not None:
            found[row.owner].append(receipt_of(scope, row, here=here))
    return {id: tuple(found[id]) for id in ids}


def receipt_of(scope: Scope, row: Ends, *, here: Collection[UUID] = frozenset()) -> Receipt:
    """The target of one row of evidence."""
    for kind in _TARGETS:
        id: UUID | None = getattr(row, f"{kind}_id")
        if id is not None:
            url = f"#{anchor(kind, id)}" if id in here else record_url(scope, kind, id)
            return Receipt(kind, id, url)
    return Receipt("outside", None, text=f"{row.outside_kind}: {row.outside_reference}")
