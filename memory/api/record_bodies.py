"""Messages and atoms with their evidence as JSON values."""

from __future__ import annotations

from typing_extensions import TypedDict

from memory.api.cursors import number_cursor
from memory.api.list_bodies import ListedAtomBody, listed_value
from memory.models import Entity
from memory.recall.messages import ListedMessage, MessagesPage
from memory.recall.neighbours import AtomWithEvidence, MessageWithEvidence, Neighbour
from memory.recall.records import Changes

RECORDS = "records"


class MessagesBody(TypedDict):
    """A page of messages word for word, in the order in which they were stored."""

    entity: str
    total: int
    records: tuple[ListedMessage, ...]
    next_after: str | None


class MessageBody(TypedDict):
    """A message, and what was taken from it."""

    entity: str
    record: ListedMessage
    rests_on: tuple[Neighbour, ...]
    """Nothing: words stand for themselves."""
    used_by: tuple[Neighbour, ...]
    """Atoms that cite it, and summaries of its session."""


class ReadAtomBody(TypedDict):
    """An atom, what it was taken from, and the lines that were written from it."""

    entity: str
    atom: ListedAtomBody
    rests_on: tuple[Neighbour, ...]
    """Messages, people's corrections, and what is not stored here."""
    used_by: tuple[Neighbour, ...]
    """Lines of scenes."""


class ChangesBody(TypedDict):
    """What a message has done to every layer so far."""

    entity: str
    changes: Changes


def messages_body(entity: Entity, page: MessagesPage) -> MessagesBody:
    """The body of `GET /records`."""
    return {
        "entity": entity.name,
        "total": page.total,
        "records": page.messages,
        "next_after": number_cursor(RECORDS, page.next_after),
    }


def message_body(entity: Entity, read: MessageWithEvidence) -> MessageBody:
    """The body of `/records/{id}`."""
    return {
        "entity": entity.name,
        "record": read.message,
        "rests_on": read.evidence.rests_on,
        "used_by": read.evidence.used_by,
    }


def read_atom_body(entity: Entity, read: AtomWithEvidence) -> ReadAtomBody:
    """The body of `GET /atoms/{id}`."""
    return {
        "entity": entity.name,
        "atom": listed_value(read.atom),
        "rests_on": read.evidence.rests_on,
        "used_by": read.evidence.used_by,
    }
