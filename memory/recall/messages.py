"""Messages word for word: a filter over all sessions of an entity, and one of them with what rests on it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.ingest.storable import text_problem
from memory.models import Entity, Message
from memory.recall.replay import ReplayedMessage, replayed
from memory.recall.trace import NoRecordError

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """Which messages are listed. What is empty or None filters nothing."""

    session: str | None = None
    """The name that it was stored under."""
    roles: tuple[str, ...] = ()
    speaker: str | None = None
    since: datetime | None = None
    """Said at this time or later; what nobody knows the time of falls where it was recorded."""
    until: datetime | None = None
    """Said before this time."""

    def condition(self) -> Q:
        """As the database takes it, over rows in event order."""
        wanted: dict[str, Any] = {
            "session__external_id": self.session,
            "role__in": self.roles or None,
            "speaker": self.speaker,
            "event_at__gte": self.since,
            "event_at__lt": self.until,
        }
        return Q(**{name: value for name, value in wanted.items() if value is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMessage(ReplayedMessage):
    """A message with the name of its session."""

    session: str


@dataclass(frozen=True, slots=True)
class MessagesPage:
    """Messages in the order in which they were stored, and how many match in all."""

    total: int
    messages: tuple[ListedMessage, ...]
    next_after: int | None
    """Give it to the next call; None on the last page."""


def list_messages(
    entity: Entity, wanted: MessageFilter, *, after: int | None = None, limit: int = PAGE_SIZE
) -> MessagesPage:
    """One page in two statements; what is stored meanwhile comes on later pages.

    ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("A page holds at least one message.")
    if any(text_problem(word) for word in (wanted.session, wanted.speaker) if word):
        return MessagesPage(0, (), None)
    matching = Message.objects.for_entity(entity).in_event_order().filter(wanted.condition())
    rest = matching if after is None else matching.filter(seq__gt=after)
    found = list(rest.select_related("session").order_by("seq")[: limit + 1])
    shown = found[:limit]
    return MessagesPage(
        total=matching.count(),
        messages=tuple(listed_message(entity, message) for message in shown),
        next_after=shown[-1].seq if len(found) > limit else None,
    )


def stored_messages(entity: Entity, ids: Collection[UUID]) -> frozenset[UUID]:
    """The ids of messages, each once; NoRecordError unless all of them are the entity's."""
    wanted = frozenset(ids)
    found = frozenset(Message.objects.for_entity(entity).filter(pk__in=wanted).values_list("pk", flat=True))
    if missing := wanted - found:
        raise NoRecordError(", ".join(sorted(map(str, missing))))
    return found


def listed_message(entity: Entity, message: Message) -> ListedMessage:
    """The record of a row whose session is loaded; times are in the entity's own zone."""
    told = replayed(entity, message)
    fields = {name: getattr(told, name) for name in ReplayedMessage.__slots__}
    return ListedMessage(**fields, session=message.session.external_id)
