"""Named queries: the only module that opens cursors. The statements lie in `memory/sql/`, one a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connection, connections, transaction
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor, sql
from psycopg.errors import QueryCanceled
from psycopg.pq import PipelineStatus, TransactionStatus

FOLDER = Path(__file__).parent / "sql"
_COMMENT_LINE = re.compile(r"^\s*--.*\n", re.MULTILINE)
_INDENTATION = re.compile(r"^ +", re.MULTILINE)
REMEMBERED_TEXTS = 512
ONE_PROCESS = {"max_parallel_workers_per_gather": "0"}
"""Of a search within its time: helpers that one starts take the processors from all others."""


@cache
def statement(name: str) -> str:
    """The text of a named query, under its name and without the lines that are for its reader alone.

    The driver takes the text apart anew each time where it is longer than 4,096 bytes.
    """
    text = (FOLDER / f"{name}.sql").read_text(encoding="utf-8")
    return f"/* {name} */ {_INDENTATION.sub('', _COMMENT_LINE.sub('', text))}"


def rows(name: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """All rows of a named query; parameters are bound, never put into the text."""
    with connection.cursor() as cursor:
        cursor.execute(statement(name), parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def kept_rows(*asked: tuple[str, Mapping[str, Any]]) -> list[list[tuple[Any, ...]]]:
    """The rows of each named query with its parameters, all of them there and back once.

    For queries that find rows by their keys: the server may keep their plans, which are made without knowing
    the values (`DATABASE_PREPARED_STATEMENTS`).
    """
    return kept_texts(*((statement(name), parameters) for name, parameters in asked))


def kept_texts(*asked: tuple[str, Mapping[str, Any]]) -> list[list[tuple[Any, ...]]]:
    """The same for statements that were put together of named queries."""
    connection.ensure_connection()
    if len(asked) == 1 and not _begins_transaction():
        [(text, parameters)] = asked
        with connection.wrap_database_errors, _keeping_cursor() as cursor:
            cursor.execute(text, parameters)
            return [cursor.fetchall()]
    with _pipeline():
        cursors = [_keeping_cursor() for _ in asked]
        for cursor, (text, parameters) in zip(cursors, asked, strict=True):
            cursor.execute(text, parameters)
    # Not within: to fetch there asks for what has come, and the end of the pipeline then asks once more.
    return [cursor.fetchall() for cursor in cursors]


@contextmanager
def _pipeline() -> Iterator[None]:
    """What is sent within goes there and back together.

    A connection that the driver could not lead out of it is of no more use, and is closed: the pool would
    take it for an idle one, and whoever gets it next would hold the locks of a transaction that never ends.
    """
    raw = connection.connection
    try:
        with connection.wrap_database_errors, raw.pipeline():
            yield
    finally:
        if not raw.closed and raw.pgconn.pipeline_status != PipelineStatus.OFF:
            raw.close()


def _begins_transaction() -> bool:
    """Whether a transaction has yet to begin: a statement alone would wait for its BEGIN to come back."""
    is_idle = connection.connection.info.transaction_status == TransactionStatus.IDLE
    return connection.in_atomic_block and is_idle


class _PlanningCursor(Cursor[Any]):
    """Has every statement planned for its own values."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(query, params, **{**options, "prepare": False})


def _keeping_cursor() -> CursorWrapper:
    """Values are bound by the server: Django's own cursors put them into the text, which is new each time."""
    return _cursor(Cursor)


def _cursor(kind: type[Cursor[Any]]) -> CursorWrapper:
    raw: Any = kind(connection.connection)
    return connection.make_debug_cursor(raw) if connection.queries_logged else connection.make_cursor(raw)


def json_value(stored: Any) -> Any:
    """A jsonb column as named queries give it: Django leaves its text to the fields of models."""
    return json.loads(stored) if isinstance(stored, (str, bytes)) else stored


def run(name: str, **parameters: Any) -> int:
    """Run a named query that returns no rows; gives the number of rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(statement(name), parameters)
        return int(cursor.rowcount)


def copy_in(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write many rows of one table: ten times as fast as statements with values, under the same constraints.

    The values have to be of types that the driver knows, JSON as `psycopg.types.json.Jsonb`.
    """
    text = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(text) as copy:
        for row in rows:
            copy.write_row(row)


def rows_of(name: str, *, names: Mapping[str, sql.Composable], **parameters: Any) -> list[tuple[Any, ...]]:
    """All rows of a named query about tables and columns that `names` puts into its `{names}`."""
    with connection.cursor() as cursor:
        cursor.execute(with_literals(statement(name), names), parameters or None)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def array(values: Iterable[int | float | UUID]) -> str:
    """Numbers or ids as PostgreSQL writes an array: hundreds of them bound one by one take milliseconds."""
    return f"{{{','.join(map(str, values))}}}"


def one(name: str, **parameters: Any) -> tuple[Any, ...]:
    """The only row of a named query."""
    [row] = rows(name, **parameters)
    return row


def rows_within(
    milliseconds: int,
    name: str,
    *,
    literals: Mapping[str, object] | None = None,
    settings_of_server: Mapping[str, str] | None = None,
    keeps_plan: bool = False,
    meanwhile: Callable[[], object] | None = None,
    **parameters: Any,
) -> list[tuple[Any, ...]] | None:
    """All rows of a named query that reads, or None when the server ended it for its time.

    `literals` fill the `{names}` of a statement that only a constant can serve. They must be the project's
    own values, such as ids, never words.
    The limit and other settings of the server hold for this statement alone. Outside of a transaction they go
    to the server together with the statement: there and back once. `keeps_plan` is for such queries as
    `kept_rows` is for. `meanwhile` is called once, outside of a transaction while the server is at work.
    """
    text = _filled(name, tuple(literals.items())) if literals else statement(name)
    limits = {"statement_timeout": str(milliseconds), **ONE_PROCESS, **(settings_of_server or {})}
    setting = _setting(tuple(limits.items()))
    try:
        if connection.in_atomic_block:
            return _read_inside(setting, text, parameters, meanwhile)
        return _read_once(setting, text, parameters, keeps_plan, meanwhile)
    except OperationalError as error:
        if not _was_ended(error):
            raise
        if not connection.in_atomic_block and connection.connection.closed:
            connection.close()
        return None


def _was_ended(error: OperationalError) -> bool:
    """Whether the server ended a statement. At the very end of one the driver finds an answer too many."""
    cause = error.__cause__
    return isinstance(cause, QueryCanceled) or isinstance(cause and cause.__context__, QueryCanceled)


def _read_inside(
    setting: str, text: str, parameters: Mapping[str, Any], meanwhile: Callable[[], object] | None
) -> list[tuple[Any, ...]]:
    if meanwhile is not None:
        meanwhile()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(setting)
        cursor.execute(text, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        # Nothing was written, and the transaction around this one gets its own settings back.
        transaction.set_rollback(True)
        return found


def _read_once(
    setting: str,
    text: str,
    parameters: Mapping[str, Any],
    keeps_plan: bool,
    meanwhile: Callable[[], object] | None,
) -> list[tuple[Any, ...]]:
    connection.ensure_connection()
    # What is sent through one pipeline is one transaction, so the limits hold for the statement after them.
    with _pipeline():
        # By the driver's own cursor: no statement of its own in Django's log, where it would have no text.
        Cursor(connection.connection).execute(setting)
        cursor = _keeping_cursor() if keeps_plan else _cursor(_PlanningCursor)
        cursor.execute(text, parameters)
        if meanwhile is not None:
            meanwhile()
    found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


@lru_cache(REMEMBERED_TEXTS)
def _filled(name: str, literals: tuple[tuple[str, object], ...]) -> str:
    return with_literals(statement(name), dict(literals))


@lru_cache(REMEMBERED_TEXTS)
def _setting(limits: tuple[tuple[str, str], ...]) -> str:
    """A statement that makes settings hold for its transaction."""
    each = (sql.SQL("set_config({}, {}, true)").format(key, value) for key, value in limits)
    return sql.SQL("SELECT {}").format(sql.SQL(", ").join(each)).as_string()


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
