"""One message: its words, the turns around it, and what was made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q, Subquery
from django.http import Http404

from memory.models import Atom, Entity, Message
from memory.recall.ladder import message_record
from memory.recall.short_ids import short_id
from memory.recall.trace_up import UP
from showcase.access import Place, Scope
from showcase.cards import message_card
from showcase.links import record_url
from showcase.parts import Action, Card, Code, Fact, Receipt
from showcase.records.signing import notes_of, run_fact
from showcase.records.trees import Branch, branches
from showcase.said import as_plain

TURNS_AROUND = 4
STATES = {
    "read": "read",
    "parked": "set aside after failures",
    "pending": "waiting to be read",
    "kept": "kept, never read",
}


@dataclass(frozen=True, slots=True)
class Decided:
    """What the run that read a message decided about an item of it."""

    outcome: str
    reason: str
    receipts: tuple[Receipt, ...]
    """The claims that it was about."""


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A message with everything around it."""

    row: Message
    card: Card
    state: str
    facts: tuple[Fact, ...]
    before: tuple[Card, ...]
    after: tuple[Card, ...]
    calls: tuple[Code, ...]
    metadata: Code | None
    made: tuple[Branch, ...]
    decided: tuple[Decided, ...]
    earlier: Action | None
    later: Action | None


def message_page(scope: Scope, id: UUID) -> MessagePage:
    """The page of a message; Http404. At most eight statements."""
    turns = _turns(scope.entity, id)
    at = next((place for place, turn in enumerate(turns) if turn.pk == id), None)
    if at is None:
        raise Http404
    row, cards = turns[at], [message_card(scope, message_record(turn, scope.entity)) for turn in turns]
    before, after = tuple(cards[:at]), tuple(cards[at + 1 :])
    return MessagePage(
        row=row,
        card=cards[at],
        state=_state(row),
        facts=tuple(fact for fact in _facts(scope, row) if fact.value or fact.at),
        before=before,
        after=after,
        calls=tuple(_call(call) for call in row.tool_calls),
        metadata=_metadata(scope, row),
        made=_made(scope, id),
        decided=_decided(scope, row),
        earlier=Action("Turn before", before[-1].url) if before else None,
        later=Action("Turn after", after[0].url) if after else None,
    )


def _turns(entity: Entity, id: UUID) -> Sequence[Message]:
    """The message with the turns before and after it in its session; one statement, no rows without it."""
    messages = Message.objects.for_entity(entity)
    here = messages.filter(pk=id)
    ordinal, session = here.values("ordinal")[:1], here.values("session")[:1]
    near = Q(ordinal__gte=Subquery(ordinal) - TURNS_AROUND) & Q(ordinal__lte=Subquery(ordinal) + TURNS_AROUND)
    rows = messages.filter(near, session=Subquery(session)).select_related("session")
    return list(rows.order_by("ordinal"))


def _made(scope: Scope, id: UUID) -> tuple[Branch, ...]:
    try:
        return branches(scope, UP["message"](scope.entity, id).children)
    except Message.DoesNotExist as error:  # erased since it was read
        raise Http404 from error


def _facts(scope: Scope, row: Message) -> tuple[Fact, ...]:
    zone = scope.entity.zone
    parent = record_url(scope, "message", row.parent_id) if row.parent_id else ""
    return (
        Fact("role", row.get_role_display()),
        Fact("speaker", row.speaker),
        Fact("session", row.session.title or row.session.external_id),
        Fact("turn", str(row.ordinal + 1)),
        Fact("said", at=row.occurred_at and row.occurred_at.astimezone(zone)),
        Fact("recorded", at=row.recorded_at.astimezone(zone)),
        Fact("reply to", short_id(row.parent_id) if row.parent_id else "", url=parent),
        Fact("tool", row.tool_name),
        Fact("call", row.tool_call_id),
        run_fact(scope, "read by", row.consumed_by_id),
        Fact("SHA-256", bytes(row.content_hash).hex()),
    )


def _state(row: Message) -> str:
    if row.consumed_by_id is not None:
        return STATES["read"]
    if row.parked_at is not None:
        return STATES["parked"]
    return STATES["pending" if row.is_extractable else "kept"]


def _call(call: Any) -> Code:
    told = call.get("function", call) if isinstance(call, Mapping) else {}
    name = told.get("name", "") if isinstance(told, Mapping) else ""
    return Code(_pretty(call), f"Call of {as_plain(name)}" if name else "Call", wraps=True)


def _metadata(scope: Scope, row: Message) -> Code | None:
    """What the application stored beside the words is for members."""
    if scope.place is not Place.LIVE or not row.metadata:
        return None
    return Code(_pretty(row.metadata), "Metadata", wraps=True)


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _decided(scope: Scope, row: Message) -> tuple[Decided, ...]:
    """What is not seen from the claims themselves: what stored one and says no more is left out."""
    notes = notes_of(scope.entity, [row.consumed_by_id or row.parked_by_id])
    about = (note for found in notes.values() for note in found if str(row.pk) in note.get("messages", ()))
    decided = (_decision(scope, note) for note in about)
    return tuple(one for one in decided if one.reason or one.outcome != Atom.Decision.STORE)


def _decision(scope: Scope, note: Mapping[str, Any]) -> Decided:
    atoms = [UUID(atom) for atom in note.get("atoms", ())]
    return Decided(
        str(note.get("outcome", "")),
        str(note.get("reason") or ""),
        tuple(Receipt("atom", atom, record_url(scope, "atom", atom)) for atom in atoms),
    )
