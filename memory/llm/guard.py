"""The one place that keeps model calls out of transactions."""

from __future__ import annotations

from django.conf import settings
from django.db import connections

from memory.llm.protocol import Model, ModelReply, ModelRequest


def refuse_inside_transaction() -> None:
    """Raise RuntimeError when this thread has a transaction open on any database.

    A model answers in seconds or minutes; locks held meanwhile would stop everybody else. The transaction
    that Django's TestCase (and pytest's `db` fixture) puts around a whole test does not count, as it does
    not for `atomic(durable=True)`.
    """
    if not settings.configured:
        # A provider used outside of Django: there is no database.
        return
    for connection in connections.all(initialized_only=True):
        if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
            raise RuntimeError("A model was asked inside a database transaction; read, call, then write.")


class Guarded:
    """Any model, refusing to run inside a database transaction."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self._model.name

    def __repr__(self) -> str:
        return f"Guarded({self._model!r})"

    def answer(self, request: ModelRequest) -> ModelReply:
        """The inner model's answer; RuntimeError inside a transaction."""
        refuse_inside_transaction()
        return self._model.answer(request)
