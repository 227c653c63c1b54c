"""Pages of lists as JSON values. `next_after` leads to the next page; it is null on the last one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from memory.api.cursors import id_cursor, number_cursor, rule_cursor
from memory.models import Entity
from memory.recall.listing import AtomsPage, ListedAtom
from memory.recall.records import AtomRecord, RulesPage
from memory.recall.replay import ReplayPage, SessionsPage
from memory.recall.short_ids import short_id


def rules_body(entity: Entity, page: RulesPage) -> dict[str, Any]:
    """The body of `/rules`."""
    return {
        "entity": entity.name,
        "floor": page.floor,
        "total": page.total,
        "rules": [atom_value(rule) for rule in page.rules],
        "next_after": rule_cursor(page.next_after),
    }


def sessions_body(entity: Entity, page: SessionsPage) -> dict[str, Any]:
    """The body of `/sessions`."""
    return {
        "entity": entity.name,
        "total": page.total,
        "sessions": [asdict(session) for session in page.sessions],
        "next_after": id_cursor("sessions", page.next_after),
    }


def replay_body(entity: Entity, page: ReplayPage) -> dict[str, Any]:
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
        "messages": [asdict(message) for message in page.messages],
        "next_after": number_cursor("messages", page.next_after),
    }


def atoms_body(entity: Entity, page: AtomsPage) -> dict[str, Any]:
    """The body of `/atoms`."""
    return {
        "entity": entity.name,
        "total": page.total,
        "atoms": [_listed_value(listed) for listed in page.atoms],
        "next_after": number_cursor("atoms", page.next_after),
    }


def atom_value(atom: AtomRecord) -> dict[str, Any]:
    """An atom with the short form of its id, as contexts show it."""
    return {**asdict(atom), "short_id": short_id(atom.id)}


def _listed_value(listed: ListedAtom) -> dict[str, Any]:
    more = asdict(listed)
    del more["atom"]
    return {**atom_value(listed.atom), **more}
