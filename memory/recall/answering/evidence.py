"""What an answer may rest on: the claims and raw words that search finds for a question, under handles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from memory.cascade.designs import Weights, design_of
from memory.cascade.rules.handles import Handles, Kind
from memory.models import Entity, Layer, Message
from memory.recall.arms import Filters
from memory.recall.hits import Hit
from memory.recall.search import Request, search

RESULTS = 40


@dataclass(frozen=True, slots=True)
class Item:
    """One claim or one raw message that may be cited."""

    handle: str
    kind: Literal["atom", "message"]
    id: UUID
    text: str
    about: str
    """Subject and topic of a claim, speaker and caption of a message: found by, not quoted."""
    speaker: str
    """Who said it; for a claim the speaker of its first message."""
    said_at: datetime | None
    """In the entity's own zone."""
    session: str
    ordinal: int | None
    scope: str = ""
    """The situation that an instruction is bound to."""
    nearness: float = 0.0
    """How many spreads nearer than usual its meaning is to the question; 0 without vectors."""

    @property
    def date_words(self) -> str:
        """The day it was said, in words and in numbers."""
        return f"{self.said_at:%-d %B %Y %Y-%m-%d}" if self.said_at else ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found for a question, the best first."""

    items: tuple[Item, ...]
    handles: Handles
    languages: tuple[str, ...]

    def item(self, handle_or_id: str) -> Item:
        """What a handle names; NotOfferedError for anything that was not shown."""
        row = self.handles.resolve(handle_or_id)
        return next(item for item in self.items if item.id == row)

    @property
    def names(self) -> frozenset[str]:
        """Words of the names of those who speak or are spoken of, in lower case."""
        subjects = (item.about for item in self.items if item.kind == "atom" and item.about.istitle())
        named = " ".join((*subjects, *(item.speaker for item in self.items)))
        return frozenset(named.casefold().split())


def find_evidence(entity: Entity, question: str) -> Evidence:
    """Search for a question. Sections and traits rest on atoms: these are what is cited.

    Raw words whose claim no longer holds are left out, and so is what was said by the system.
    """
    filters = Filters(layers=(Layer.MESSAGE, Layer.ATOM))
    weights = design_of(entity).weights
    found = search(entity, Request(question, limit=RESULTS, filters=filters, weights=weights))
    handles = Handles()
    hits = [hit for hit in found.hits if not hit.is_superseded and not _is_system(hit)]
    items = tuple(_item(hit, handles, weights) for hit in hits)
    return Evidence(items, handles, found.languages)


def _is_system(hit: Hit) -> bool:
    return hit.layer == "message" and hit.messages[0].role == Message.Role.SYSTEM


def _item(hit: Hit, handles: Handles, weights: Weights) -> Item:
    source = hit.messages[0] if hit.messages else None
    is_atom = hit.layer == "atom"
    caption = source.attachment_text if source and not is_atom else ""
    return Item(
        handle=handles.offer(Kind.ATOM if is_atom else Kind.MESSAGE, hit.id),
        kind="atom" if is_atom else "message",
        id=hit.id,
        text=hit.text or caption,
        about=hit.subject if is_atom else caption,
        speaker=(source.speaker or source.role) if source else "",
        said_at=source.said_at if source else hit.said_at,
        session=source.session if source else "",
        ordinal=source.ordinal if source else None,
        scope=hit.scope,
        nearness=hit.terms.get("meaning", 0.0) / (weights.meaning or 1.0),
    )
