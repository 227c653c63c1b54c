"""Named queries: the only module that opens cursors. The statements lie in `memory/sql/`, one a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

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
