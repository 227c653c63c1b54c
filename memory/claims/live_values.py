"""What a live source may answer, however it was asked."""

from __future__ import annotations

from typing import Any

from memory.claims.live_addresses import LiveError
from memory.ingest.storable import json_problem


def storable_value(value: Any, *, most_bytes: int) -> Any:
    """A value that can be shown and kept; LiveError for what is none."""
    if value is None:
        raise LiveError("knows no value")
    try:
        problem = json_problem(value, bytes_limit=most_bytes)
    except (TypeError, ValueError):
        problem = "is no JSON"
    if problem:
        raise LiveError(f"answered what {problem}")
    return value
