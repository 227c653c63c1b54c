"""The transaction of a write: the outermost one, or part of one that holds a whole request together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import transaction

_is_held: ContextVar[bool] = ContextVar("transaction_is_held", default=False)


@contextmanager
def durable_transaction() -> Iterator[None]:
    """The outermost transaction, committed at the block's end; RuntimeError inside of another one.

    Within `held_together` it is a savepoint instead, and commits with the whole.
    """
    with transaction.atomic(durable=not _is_held.get()):
        yield


@contextmanager
def held_together() -> Iterator[None]:
    """One durable transaction around functions that open their own: all of what they write, or nothing.

    For functions that ask no model and no network; tasks that they send on commit go when all is committed.
    """
    token = _is_held.set(True)
    try:
        with transaction.atomic(durable=True):
            yield
    finally:
        _is_held.reset(token)
