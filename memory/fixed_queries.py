"""Queries of models whose text Django writes once in a process.

Putting a large one together takes Django several milliseconds, each time the same text. What such a query
asks is said in the words of the models all the same, and only there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import BooleanField, F, Field, Func, Q, QuerySet, UUIDField, Value

Row = TypeVar("Row")


def one_of(
    column: str, values: Collection[UUID] | Collection[str], kind: type[Field[Any, Any]] = UUIDField
) -> Q:
    """Whether a column holds one of some ids, or of some texts (`TextField`).

    Unlike `column__in` it has the same text for any number of them.
    """
    array = Value(list(values), output_field=ArrayField(kind()))
    return Q(
        Func(F(column), array, template="%(expressions)s)", arg_joiner=" = ANY(", output_field=BooleanField())
    )


@dataclass(frozen=True, slots=True)
class _Written(Generic[Row]):
    """A query that was put together once, with stand-ins for its values."""

    rows: QuerySet[Any, Row]
    compiler: Any
    """Knows what its text selects, and how the columns become values and rows of models."""
    text: str
    parameters: tuple[tuple[str, Any], ...]
    """Each with the name of the value that it stands for; without one it stays as it is."""


class FixedQuery(Generic[Row]):
    """Rows by values that are filled in each time: `FixedQuery(build, entity=UUID).rows(entity=entity.pk)`.

    `build` is given a value of the kind of each name (`UUID`, `datetime`, `list[UUID]`, `list[str]`) and has
    to put it into the query as it is, in as many places as it likes. Everything else of the query stays as it
    was the first time: it may not ask our clock, and its form may not depend on the values.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], **kinds: Any) -> None:
        self._build = build
        self._stand_ins = {name: _stand_in(kind, place) for place, (name, kind) in enumerate(kinds.items())}

    def rows(self, **values: Any) -> list[Row]:
        """All rows, by one statement. KeyError where a value is missing."""
        written = self._written
        filled = tuple(values[name] if name else parameter for name, parameter in written.parameters)
        compiler = copy(written.compiler)
        compiler.connection = connection
        compiler.as_sql = lambda *_, **__: (written.text, filled)
        rows = written.rows.all()
        vars(rows.query)["get_compiler"] = lambda *_, **__: compiler
        return list(rows)

    @cached_property
    def _written(self) -> _Written[Row]:
        rows = self._build(**self._stand_ins)
        compiler = rows.query.get_compiler(connection=connection)
        text, parameters = compiler.as_sql()
        # Each thread reads by a connection of its own.
        del compiler.connection
        named = tuple((_name_of(parameter, self._stand_ins), parameter) for parameter in parameters)
        if missing := self._stand_ins.keys() - {name for name, _ in named}:
            raise ValueError(f"The query does not hold as given: {', '.join(sorted(missing))}.")
        return _Written(rows, compiler, text, named)


def _stand_in(kind: Any, place: int) -> Any:
    """A value that no row has and no other name."""
    id = UUID(int=2**128 - 1 - place)
    if kind is datetime:
        return datetime.max.replace(tzinfo=UTC) - timedelta(days=1 + place)
    return {UUID: id, list[UUID]: [id], list[str]: [str(id)]}[kind]


def _name_of(parameter: Any, stand_ins: Mapping[str, Any]) -> str:
    return next(
        (name for name, one in stand_ins.items() if type(one) is type(parameter) and one == parameter), ""
    )
