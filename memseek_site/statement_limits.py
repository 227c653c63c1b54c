"""How long a statement may take: the server is told nothing while a connection has the right limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

_wanted: ContextVar[int] = ContextVar("statement_milliseconds", default=0)
MARK = "memseek_statement_milliseconds"
"""On the driver's connection, which the pool hands to one request after the other."""


@contextmanager
def statements_within(seconds: float) -> Iterator[None]:
    """Connections that the block takes from the pool end each statement after so long; 0 is the server's own.

    A connection that is open already keeps what it has.
    """
    token = _wanted.set(round(seconds * 1_000))
    try:
        yield
    finally:
        _wanted.reset(token)


def apply_limit(*, connection: BaseDatabaseWrapper, **_: Any) -> None:
    """On `connection_created`, which comes with each connection that is taken from the pool."""
    wanted, raw = _wanted.get(), connection.connection
    if getattr(raw, MARK, 0) == wanted:
        return
    with connection.cursor() as cursor:
        if wanted:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [str(wanted)])
        else:
            cursor.execute("RESET statement_timeout")
    setattr(raw, MARK, wanted)
