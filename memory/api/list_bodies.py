"""Pages of lists as JSON values. `next_after` leads to the next page; it is null on the last one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.cursors import id_cursor, number_cursor, rule_cursor
from memory.api.encoding import fields_of
from memory.models import Entity
from memory.recall.listing import AtomsPage, ListedAtom
from memory.recall.records import AtomRecord, OutsideReceipt, RulesPage
from memory.recall.replay import ReplayedMessage, ReplayPage, SessionRecord, SessionsPage
from memory.recall.short_ids import short_id


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomBody(AtomRecord):
    """An atom, with the short form of its id as contexts show it."""

    short_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAtomBody(AtomBody):
    """An atom with all that is stored about it."""

    chain: UUID
    """Shared by the atoms of one matter."""
    decision: str
    merge_reason: str
    last_seen_at: datetime | None
    created_at: datetime
    citations: tuple[UUID, ...]
    """The messages it rests on, in the order of its receipts."""
    outside: tuple[OutsideReceipt, ...]
    """What it rests on that is not stored here, in the same order."""


class RulesBody(TypedDict):
    """A page of the standing rules, most important first."""

    entity: str
    floor: int
    """The least priority that was asked for, or the design's."""
    total: int
    rules: list[AtomBody]
    next_after: str | None


class SessionsBody(TypedDict):
    """A page of sessions, in the order in which they were opened."""

    entity: str
    total: int
    sessions: tuple[SessionRecord, ...]
    next_after: str | None


class ReplayedSessionBody(TypedDict):
    """The session that is read again."""

    id: UUID
    session: str
    """The name that its messages were stored under."""
    title: str
    created_at: datetime
    ended_at: datetime | None


class ReplayBody(TypedDict):
    """A page of a session, word for word."""

    entity: str
    session: ReplayedSessionBody
    total: int
    messages: tuple[ReplayedMessage, ...]
    next_after: str | None


class AtomsBody(TypedDict):
    """A page of atoms, in the order in which they were made."""

    entity: str
    total: int
    atoms: list[ListedAtomBody]
    next_after: str | None


def rules_body(entity: Entity, page: RulesPage) -> RulesBody:
    """The body of `/rules`."""
    return {
        "entity": entity.name,
        "floor": page.floor,
        "total": page.total,
        "rules": [atom_value(rule) for rule in page.rules],
        "next_after": rule_cursor(page.next_after),
    }


def sessions_body(entity: Entity, page: SessionsPage) -> SessionsBody:
    """The body of `/sessions`."""
    return {
        "entity": entity.name,
        "total": page.total,
        "sessions": page.sessions,
        "next_after": id_cursor("sessions", page.next_after),
    }


def replay_body(entity: Entity, page: ReplayPage) -> ReplayBody:
    """The body of `/sessions/{session}/messages`."""
    return {
        "entity": entity.name,
        "session": {
            "id": page.session.pk,
            "session": page.session.external_id,
            "title": page.session.title,
            "created_at": page.session.created_at,
            "ended_at": page.session.ended_at,
        },
        "total": page.total,
        "messages": page.messages,
        "next_after": number_cursor("messages", page.next_after),
    }


def atoms_body(entity: Entity, page: AtomsPage) -> AtomsBody:
    """The body of `/atoms`."""
    return {
        "entity": entity.name,
        "total": page.total,
        "atoms": [listed_value(listed) for listed in page.atoms],
        "next_after": number_cursor("atoms", page.next_after),
    }


def atom_value(atom: AtomRecord) -> AtomBody:
    """An atom with the short form of its id."""
    return AtomBody(**fields_of(atom), short_id=short_id(atom.id))


def listed_value(listed: ListedAtom) -> ListedAtomBody:
    """An atom with all that is stored about it."""
    more = fields_of(listed)
    del more["atom"]
    return ListedAtomBody(**fields_of(listed.atom), short_id=short_id(listed.atom.id), **more)
