"""The persona slot by slot: what it says, what that rests on, and how it was worded before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.models import Trait
from memory.recall.persona_reading import TraitHistory, Wording, list_traits
from showcase.access import Scope
from showcase.cards import SLOTS
from showcase.records.grounds import Ground, grounds_of_wording
from showcase.records.signing import Notes, Signature, notes_of, run_of, signed, why

WORDINGS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class ShownWording:
    """What a slot said at a time; one whose words were erased has no text."""

    id: UUID
    number: int
    text: str
    at: datetime
    author: Signature
    reason: str
    grounds: tuple[Ground, ...]


@dataclass(frozen=True, slots=True)
class ShownSlot:
    """A slot; without a history it never said anything."""

    name: str
    history: TraitHistory | None
    wordings: tuple[ShownWording, ...]
    """Newest first."""

    @property
    def current(self) -> ShownWording | None:
        """What it says now, or said last before it was retracted."""
        return self.wordings[0] if self.wordings else None

    @property
    def earlier(self) -> tuple[ShownWording, ...]:
        """The wordings before that."""
        return self.wordings[1:]

    @property
    def left_out(self) -> int:
        """How many older ones are not shown."""
        return self.history.total - len(self.wordings) if self.history else 0


def persona_slots(scope: Scope) -> tuple[ShownSlot, ...]:
    """All slots in their order, the empty ones too; four statements."""
    traits = {one.slot: one for one in list_traits(scope.entity, limit=WORDINGS_SHOWN)}
    wordings = [wording for one in traits.values() for wording in one.wordings]
    notes = notes_of(scope.entity, (run_of(wording.author) for wording in wordings))
    return tuple(_slot(scope, slot, traits.get(slot), notes) for slot in Trait.Slot.values)


def _slot(scope: Scope, slot: str, history: TraitHistory | None, notes: Notes) -> ShownSlot:
    wordings = history.wordings if history else ()
    return ShownSlot(SLOTS[slot], history, tuple(_shown(scope, slot, one, notes) for one in wordings))


def _shown(scope: Scope, slot: str, wording: Wording, notes: Notes) -> ShownWording:
    _, reason = why(notes, run_of(wording.author), slot=slot, text=wording.text)
    return ShownWording(
        id=wording.id,
        number=wording.number,
        text=wording.text,
        at=wording.created_at.astimezone(scope.entity.zone),
        author=signed(scope, wording.author),
        reason=reason or wording.author.reason,
        grounds=grounds_of_wording(scope, wording.text, wording.evidence),
    )
