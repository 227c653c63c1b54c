"""Every layer in full with its receipts, as the overview shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import QuerySet

from memory.fixed_queries import FixedQuery
from memory.models import Atom, Entity, Message
from memory.recall import ladder
from memory.recall.atoms import atom_record, with_receipts
from memory.recall.records import AtomRecord, MessageRecord
from showcase.access import Scope
from showcase.cards import atom_card, message_card, trait_card
from showcase.overview_scenes import ShownScene, read_scenes, shown_scenes
from showcase.parts import Card
from showcase.receipts import receipts_of

MESSAGES_LIMIT = 40
"""Of a longer memory the latest are shown."""
ATOMS_LIMIT = 40
"""Of more atoms the weightiest are shown."""
LINES_LIMIT = 60
"""Scenes are shown whole until there are so many lines; the others by their summaries."""


@dataclass(frozen=True)
class Talk:
    """One session and what was said in it."""

    session: str
    messages: tuple[Card, ...]


@dataclass(frozen=True)
class Layers:
    """The ladder, whole where it is short."""

    persona: tuple[Card, ...]
    scenes: tuple[ShownScene, ...]
    atoms: tuple[Card, ...]
    talks: tuple[Talk, ...]

    @property
    def message_count(self) -> int:
        """How many messages are among them."""
        return sum(len(talk.messages) for talk in self.talks)


def layers_of(scope: Scope) -> Layers:
    """Read the ladder; a fixed number of statements, and rows up to the limits."""
    persona, (heads, places) = ladder.persona(scope.entity), read_scenes(scope.entity, LINES_LIMIT)
    atoms, said = _atoms(scope.entity), _said(scope.entity)
    lines = [place.line_id for place in places]
    claims = [atom.id for atom in atoms]
    receipts = receipts_of(
        scope,
        [*(trait.version_id for trait in persona), *lines, *claims],
        here={*lines, *claims, *(message.id for message in said)},
    )
    return Layers(
        persona=tuple(trait_card(scope, trait, receipts[trait.version_id]) for trait in persona),
        scenes=shown_scenes(scope, heads, places, receipts),
        atoms=tuple(atom_card(scope, atom, receipts[atom.id]) for atom in atoms),
        talks=_talks(scope, said),
    )


def weightiest(*, workspace: UUID, entity: UUID) -> QuerySet[Atom]:
    """The claims that are shown, in the order of their events."""
    rows = Atom.objects.filter(workspace=workspace, entity=entity)
    shown = rows.holding().order_by("-priority", "-seq").values("pk")[:ATOMS_LIMIT]
    return with_receipts(rows.filter(pk__in=shown).defer("terms")).in_event_order()


def latest(*, workspace: UUID, entity: UUID) -> QuerySet[Message]:
    """The messages that are shown, each with its session; the newest first."""
    rows = Message.objects.filter(workspace=workspace, entity=entity)
    return rows.select_related("session").defer("metadata").order_by("-seq")[:MESSAGES_LIMIT]


WEIGHTIEST = FixedQuery(weightiest, workspace=UUID, entity=UUID)
LATEST = FixedQuery(latest, workspace=UUID, entity=UUID)


def _atoms(entity: Entity) -> list[AtomRecord]:
    """The weightiest that hold, in the order of their events."""
    return [atom_record(atom) for atom in WEIGHTIEST.rows(workspace=entity.workspace_id, entity=entity.pk)]


def _said(entity: Entity) -> list[MessageRecord]:
    """The latest messages, session by session."""
    rows = LATEST.rows(workspace=entity.workspace_id, entity=entity.pk)
    return [ladder.message_record(message, entity) for message in sorted(rows, key=_place)]


def _place(message: Message) -> tuple[datetime, UUID, int]:
    return message.session.created_at, message.session_id, message.ordinal


def _talks(scope: Scope, said: Iterable[MessageRecord]) -> tuple[Talk, ...]:
    return tuple(
        Talk(name, tuple(message_card(scope, message) for message in messages))
        for name, messages in groupby(said, key=lambda one: one.session)
    )
