"""A check: a rule with a name, and the query for rows that break it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from django.db.models import Model, QuerySet

from memory import queries
from memory.models import Entity

Rows = QuerySet[Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One row that is not as it should be."""

    kind: str
    """Name of the check, stable for programs."""
    entity: str
    """Name of the entity; empty for what belongs to none."""
    row: str
    """`table id`."""
    text: str
    """What is wrong with the row, for people."""


class Check(Protocol):
    """A rule of which any row may be a breach."""

    @property
    def kind(self) -> str:
        """Its name."""

    def problems(self, entity: Entity | None, most: int) -> Iterator[Problem]:
        """Breaches within one entity, or anywhere: not more than `most`."""


@dataclass(frozen=True, slots=True)
class RowsCheck:
    """The breaches are the rows of a queryset over one table."""

    kind: str
    text: str
    find: Callable[[], Rows]
    has_shadows: bool = True
    """Whether what is rebuilt in a shadow has to keep the rule too."""

    def problems(self, entity: Entity | None, most: int) -> Iterator[Problem]:
        """In the order of their ids."""
        rows = self.find()
        if entity is not None:
            rows = rows.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)
        if not self.has_shadows:
            rows = rows.filter(entity__shadow_of__isnull=True)
        model: type[Model] = rows.model
        # Distinct: a join to several receipts would name the same row again.
        named = rows.order_by("pk").distinct().values_list("entity__name", "pk")
        for name, row_id in named[:most]:
            yield Problem(self.kind, name, f"{model._meta.db_table} {row_id}", self.text)


@dataclass(frozen=True, slots=True)
class StatementCheck:
    """The breaches are what a named query gives: name of the entity, row, and more about it.

    The query takes `entity`, which may be NULL, and `most`.
    """

    kind: str
    text: str
    statement: str

    def problems(self, entity: Entity | None, most: int) -> Iterator[Problem]:
        """In the order of the query."""
        for name, row, more in queries.rows(self.statement, entity=entity and entity.pk, most=most):
            yield Problem(self.kind, name, row, f"{self.text}{more}")


@dataclass(frozen=True, slots=True)
class ReadingCheck:
    """The breaches are found by reading rows: name of the entity, and row."""

    kind: str
    text: str
    read: Callable[[Entity | None], Iterable[tuple[str, str]]]

    def problems(self, entity: Entity | None, most: int) -> Iterator[Problem]:
        """In the order in which they are found."""
        for name, row in islice(self.read(entity), most):
            yield Problem(self.kind, name, row, self.text)
