"""What the view of streams gives back instead of a body: who wants what, and from where on."""

from __future__ import annotations

from django.http import HttpResponse

from memory.events.places import Place
from memory.events.streams import Subscription

MEDIA_TYPE = "text/event-stream"


class OpenedStream(HttpResponse):
    """The headers of a stream, and what the event loop needs to send it."""

    def __init__(self, subscription: Subscription, place: Place, *, lost: str | None) -> None:
        super().__init__(content_type=f"{MEDIA_TYPE}; charset=utf-8")
        self.subscription = subscription
        self.place = place
        self.lost = lost
        """Why the reader cannot go on where it was; None when it can, or was nowhere."""
        # Proxies that hold a body back until there is more of it would hold an event back.
        self.headers["X-Accel-Buffering"] = "no"
        self.headers["Cache-Control"] = "no-store"
