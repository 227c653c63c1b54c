"""Transactions that are tried again where two calls, or a call and an erase, got into each other's way."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import IntegrityError, OperationalError
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, UniqueViolation

from memory.ingest.problems import IngestConflict, Problem
from memory.transactions import durable_transaction

ATTEMPTS = 3
"""Once is enough for one key that two calls store at once; calls that share several keys may meet again."""

Result = TypeVar("Result")


def in_transaction(action: Callable[[], Result]) -> Result:
    """Run in a transaction of its own, and again when another call stored the same key meanwhile.

    IngestConflict when what it refers to was erased before it was done.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with durable_transaction():
                return action()
        except (IntegrityError, OperationalError) as error:
            if isinstance(error.__cause__, ForeignKeyViolation):
                raise IngestConflict(
                    [Problem(None, "entity", "was erased meanwhile: send it again")]
                ) from error
            was_race = isinstance(error.__cause__, (UniqueViolation, DeadlockDetected))
            if attempt == ATTEMPTS or not was_race:
                raise
    raise AssertionError("unreachable: the last attempt returns or raises")
