"""What a line of the log may say beside its message: a closed list of names, for ids, numbers and kinds.

A request or a task names them once; every line that is written on its way then bears them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

Plain = str | int | float | bool | None | UUID

FIELDS = frozenset(
    {
        *("request_id", "method", "route", "status", "milliseconds"),
        *("workspace", "entity", "session", "step", "run", "outcome", "attempt", "error_kind"),
        *("model", "calls", "tokens_in", "tokens_out", "rows"),
    }
)
"""None of them is the name of anybody or anything that people talk about, and none holds words."""

_now: ContextVar[Mapping[str, Plain] | None] = ContextVar("log_fields", default=None)


def current_fields() -> Mapping[str, Plain]:
    """What the request or task at hand has named."""
    return _now.get() or {}


def add_fields(**fields: Plain) -> None:
    """Name more of the request or task at hand; KeyError for a name that is not on the list.

    Outside of a block nothing is named: nobody would take it back.
    """
    _refuse_others(fields)
    now = _now.get()
    if now is not None:
        _now.set({**now, **fields})


@contextmanager
def log_fields(**fields: Plain) -> Iterator[None]:
    """Lines within the block bear these; what is added inside is forgotten at its end."""
    _refuse_others(fields)
    token = _now.set({**current_fields(), **fields})
    try:
        yield
    finally:
        _now.reset(token)


def _refuse_others(fields: Mapping[str, Plain]) -> None:
    unknown = fields.keys() - FIELDS
    if unknown:
        raise KeyError(f"No field of the log: {', '.join(sorted(unknown))}")
