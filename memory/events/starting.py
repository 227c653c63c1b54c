"""Where a stream begins: behind what its reader had, or with what happens from now on."""

from __future__ import annotations

import time
from dataclasses import dataclass

from memory.events.places import Place, Token
from memory.events.reading import bounds
from memory.models import Workspace

DAY_SECONDS = 86_400
MARGIN_SECONDS = 60
"""An event bears the time at which its transaction began."""


@dataclass(frozen=True, slots=True)
class Start:
    """A place, and why it is not the one that was asked for: `expired` or `unknown`."""

    place: Place
    lost: str | None = None


def start_of(workspace: Workspace, token: Token | None) -> Start:
    """Behind a token; from now on without one, or where events behind it may be gone.

    A token is older than what retention keeps, or of a database that had come further than this one: a
    backup was brought back.
    """
    found = bounds()
    now = Place(found.oldest_open)
    if token is None:
        return Start(now)
    if token.place.transaction > found.next:
        return Start(now, "unknown")
    if token.at < time.time() - workspace.event_days * DAY_SECONDS + MARGIN_SECONDS:
        return Start(now, "expired")
    return Start(token.place)
