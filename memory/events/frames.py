"""Events as server-sent events are written."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.events.places import Place, Token

RETRY_MILLISECONDS = 2_000


@dataclass(slots=True, eq=False)
class Event:
    """One event as every stream that wants it delivers it."""

    place: Place
    workspace_id: UUID
    entity_id: UUID
    entity_name: str | None
    """None for an entity that was erased whole, or is gone since."""
    is_last: bool
    """Whether the entity is gone with it."""
    kind: str
    ids: Mapping[str, Any]
    at: datetime
    _frame: bytes = field(default=b"", init=False)

    @property
    def frame(self) -> bytes:
        """The event as it is sent, written once for all streams."""
        if not self._frame:
            self._frame = frame(self.kind, self._data(), token_at(self.place))
        return self._frame

    def _data(self) -> dict[str, Any]:
        return {
            "entity": self.entity_name,
            "entity_id": str(self.entity_id),
            "ids": self.ids,
            "at": self.at.isoformat(),
        }


def token_at(place: Place) -> str:
    """The token of a place that is delivered now."""
    return str(Token(place, int(time.time())))


def frame(kind: str, data: Mapping[str, Any], token: str | None = None) -> bytes:
    """A named event; with a token the reader resumes behind it."""
    head = f"id: {token}\n" if token else ""
    return f"{head}event: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def opening(place: Place) -> bytes:
    """What comes first: how long to wait before coming back, and where to go on if nothing comes."""
    return f"retry: {RETRY_MILLISECONDS}\nid: {token_at(place)}\n\n".encode()


def heartbeat(place: Place) -> bytes:
    """A sign of life that moves the place on, and is no event."""
    return f": alive\nid: {token_at(place)}\n\n".encode()
