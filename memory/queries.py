"""Named queries: the only module that opens cursors. The statements lie in `memory/sql/`, one a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection, connections
from django.db.backends.utils import CursorWrapper
from psycopg import sql

FOLDER = Path(__file__).parent / "sql"


@cache
def statement(name: str) -> str:
    """The text of a named query."""
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def rows(name: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """All rows of a named query; parameters are bound, never put into the text."""
    with connection.cursor() as cursor:
        cursor.execute(statement(name), parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def run(name: str, **parameters: Any) -> int:
    """Run a named query that returns no rows; gives the number of rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(statement(name), parameters)
        return int(cursor.rowcount)


def one(name: str, **parameters: Any) -> tuple[Any, ...]:
    """The only row of a named query."""
    [row] = rows(name, **parameters)
    return row


def literal_rows(name: str, literals: Mapping[str, object], **parameters: Any) -> list[tuple[Any, ...]]:
    """All rows of a named query in which `{names}` are literals of SQL, for what only a constant can serve.

    Literals are quoted by the driver. They must be the project's own values, such as ids, never words.
    """
    text = with_literals(statement(name), literals)
    with connection.cursor() as cursor:
        cursor.execute(text, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def with_literals(text: str, literals: Mapping[str, object]) -> str:
    """A statement with its `{names}` filled; what is a `psycopg.sql` object already (a name) stays one."""
    values = {
        name: value if isinstance(value, sql.Composable) else sql.Literal(value)
        for name, value in literals.items()
    }
    composed = sql.SQL(text).format(**values)
    return composed.as_string()


@contextmanager
def owner_cursor() -> Iterator[CursorWrapper]:
    """A cursor of the schema's owner on a connection of its own, each statement committed by itself.

    Other threads of the process go on with the pool meanwhile. Where the settings name no owner it is the
    application's role, which then may be refused.
    """
    usual = connections["default"]
    options = {key: value for key, value in usual.settings_dict["OPTIONS"].items() if key != "pool"}
    owner = {**usual.settings_dict, **(settings.DATABASE_OWNER or {})}
    own = usual.__class__({**owner, "NAME": usual.settings_dict["NAME"], "OPTIONS": options}, usual.alias)
    try:
        with own.cursor() as cursor:
            yield cursor
    finally:
        own.close()
