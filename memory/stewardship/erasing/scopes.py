"""What is to be erased, as a person says it, and the rows of L0 that this chooses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from memory.models import Atom, Entity, Message, Session
from memory.stewardship.actors import NotThereError, RefusedChangeError

ScopeKind = Literal["entity", "session", "messages", "period", "retention"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Which words go.

    `session`: these sessions whole. `messages`: these messages, and `atoms` that rest on no message (claims
    from outside). `period`: what was said from `since` on and before `until`; what names no time counts when
    it was recorded. `retention`: as a period, but what people wrote and applications claimed of their own
    stays, even in the same words.
    """

    kind: ScopeKind
    sessions: tuple[UUID, ...] = ()
    messages: tuple[UUID, ...] = ()
    atoms: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """Ids and instants, as the row of the erasure keeps them."""
        return {
            "kind": self.kind,
            "sessions": [str(row) for row in self.sessions],
            "messages": [str(row) for row in self.messages],
            "atoms": [str(row) for row in self.atoms],
            "since": self.since and self.since.isoformat(),
            "until": self.until and self.until.isoformat(),
        }


def scope_from(stored: dict[str, Any]) -> Scope:
    """The scope that `as_json` gave."""
    return Scope(
        kind=stored["kind"],
        sessions=tuple(map(UUID, stored["sessions"])),
        messages=tuple(map(UUID, stored["messages"])),
        atoms=tuple(map(UUID, stored["atoms"])),
        since=datetime.fromisoformat(stored["since"]) if stored["since"] else None,
        until=datetime.fromisoformat(stored["until"]) if stored["until"] else None,
    )


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows that a scope names itself; what depends on them is found from these."""

    messages: frozenset[UUID]
    sessions: frozenset[UUID] = field(default=frozenset())
    """Sessions that were chosen whole."""
    atoms: frozenset[UUID] = field(default=frozenset())


def refuse_scope(scope: Scope) -> None:
    """Raise RefusedChangeError for a scope that names nothing, or more than its kind does."""
    named = {
        "sessions": bool(scope.sessions),
        "messages": bool(scope.messages or scope.atoms),
        "period": scope.since is not None or scope.until is not None,
    }
    wanted = {
        "entity": set[str](),
        "session": {"sessions"},
        "messages": {"messages"},
        "period": {"period"},
        "retention": {"period"},
    }[scope.kind]
    if {name for name, is_named in named.items() if is_named} != wanted:
        takes = " and ".join(wanted) or "no further choice"
        raise RefusedChangeError(f"An erase of the kind {scope.kind} takes {takes}, and nothing else.")
    if scope.since is not None and scope.until is not None and scope.since >= scope.until:
        raise RefusedChangeError("The period ends before it begins.")


def choose(entity: Entity, scope: Scope) -> Chosen:
    """The rows a scope names; NotThereError where one of them is none of this entity.

    What lies in another entity and what is not there are told apart by nobody.
    """
    messages = Message.objects.for_entity(entity)
    if scope.kind == "entity":
        return Chosen(frozenset())
    if scope.kind == "session":
        found = _all_of(Session.objects.for_entity(entity), scope.sessions, "session")
        return Chosen(_ids(messages.filter(session__in=found)), sessions=found)
    if scope.kind == "messages":
        outside = Atom.objects.for_entity(entity)
        return Chosen(
            _all_of(messages, scope.messages, "message"), atoms=_all_of(outside, scope.atoms, "atom")
        )
    timed = messages.annotate(event_at=Coalesce("occurred_at", "recorded_at"))
    if scope.since is not None:
        timed = timed.filter(event_at__gte=scope.since)
    if scope.until is not None:
        timed = timed.filter(event_at__lt=scope.until)
    return Chosen(_ids(timed))


def _all_of(rows: QuerySet[Any], wanted: Iterable[UUID], name: str) -> frozenset[UUID]:
    asked = frozenset(wanted)
    found = _ids(rows.filter(pk__in=asked)) if asked else frozenset[UUID]()
    if missing := len(asked - found):
        raise NotThereError(f"{missing} of the {name}s named are none of this entity.")
    return found


def _ids(rows: QuerySet[Any]) -> frozenset[UUID]:
    return frozenset(rows.order_by().values_list("pk", flat=True))
