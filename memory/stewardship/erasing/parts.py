"""Ids in parts: a statement that names a hundred thousand of them takes longer than ten that share them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import QuerySet

PART = 5_000

Value = TypeVar("Value")


def in_parts(values: Iterable[Value], size: int = PART) -> Iterator[list[Value]]:
    """Lists of at most `size`, in a fixed order where the values have one."""
    left = iter(values)
    while part := list(islice(left, size)):
        yield part


def found_by(rows: QuerySet[Any], column: str, ids: Iterable[UUID], *wanted: str) -> set[Any]:
    """Values of the rows whose column is one of the ids; a single wanted column gives plain values."""
    found: set[Any] = set()
    for part in in_parts(sorted(ids)):
        chosen = rows.filter(**{f"{column}__in": part}).order_by()
        found.update(chosen.values_list(*wanted, flat=len(wanted) == 1))
    return found


def update_rows(rows: QuerySet[Any], ids: Iterable[UUID], **values: Any) -> int:
    """Update the rows of these ids; returns how many there were."""
    return sum(rows.filter(pk__in=part).order_by().update(**values) for part in in_parts(sorted(ids)))


def delete_rows(rows: QuerySet[Any], column: str, ids: Iterable[Any]) -> int:
    """Delete rows in one statement a part; what depends on them is gone by then, nothing looks for it."""
    return sum(
        rows.filter(**{f"{column}__in": part}).order_by()._raw_delete(rows.db) for part in in_parts(ids)
    )
