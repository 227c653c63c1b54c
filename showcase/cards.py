"""Records of the ladder as cards."""

from __future__ import annotations

from datetime import date

from django.utils.formats import date_format

from memory.models import Trait
from memory.recall.records import AtomRecord, MessageRecord, TraitRecord
from showcase.access import Scope
from showcase.links import record_url
from showcase.parts import Card, Fact, Receipt

DAY = "j M Y"
SLOTS: dict[str, str] = {slot.value: str(slot.label).capitalize() for slot in Trait.Slot}


def message_card(scope: Scope, message: MessageRecord) -> Card:
    """What was said, by whom and when."""
    facts = [Fact("tool", message.tool_name)] if message.tool_name else []
    return Card(
        kind="message",
        id=message.id,
        text=message.text or f"calls {message.tool_name or 'a tool'}",
        title=message.speaker or message.role,
        url=record_url(scope, "message", message.id),
        at=message.said_at,
        facts=tuple(facts),
        attachment=message.attachment_text,
    )


def atom_card(scope: Scope, atom: AtomRecord, receipts: tuple[Receipt, ...] = ()) -> Card:
    """One claim with its weight; one that no longer holds says so."""
    return Card(
        kind="atom",
        id=atom.id,
        text=atom.text,
        title=atom.kind.capitalize(),
        url=record_url(scope, "atom", atom.id),
        at=atom.said_at,
        facts=tuple(Fact(name, value) for name, value in _said_of(atom) if value),
        receipts=receipts,
        state="" if atom.status == "live" else atom.status,
    )


def trait_card(scope: Scope, trait: TraitRecord, receipts: tuple[Receipt, ...] = ()) -> Card:
    """What the persona says in one slot."""
    return Card(
        kind="trait",
        id=trait.id,
        text=trait.text,
        title=SLOTS[trait.slot],
        url=record_url(scope, "trait", trait.id),
        facts=(Fact("version", str(trait.number)),),
        receipts=receipts,
    )


def _said_of(atom: AtomRecord) -> tuple[tuple[str, str], ...]:
    return (
        ("priority", str(atom.priority)),
        ("from", atom.authority),
        ("when", atom.scope),
        ("happens", _span(atom.happened_from, atom.happened_until)),
    )


def _span(start: date | None, end: date | None) -> str:
    days = [date_format(day, DAY) for day in (start, end) if day is not None]
    return " to ".join(dict.fromkeys(days))
