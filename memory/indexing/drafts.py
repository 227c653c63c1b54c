"""What a unit is to hold, drawn from its row: the words to be found by, and what search weighs besides."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F

from memory import queries
from memory.ingest.recalled import strip_recalled
from memory.models import Atom, Entity, Layer, Line, SceneVersion, TraitVersion, VersionLine
from memory.models.messages import MESSAGE_TEXT_LIMIT

Key = tuple[Layer, UUID]

LONGEST_EXPANSION = 18
"""U+FDFA is a phrase of this many characters."""
PIECE = 1_024
LONGEST_FOLDED = 2 * MESSAGE_TEXT_LIMIT + PIECE
"""Characters of a message that it is found by: what its text and its attachments hold, and some more."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One unit, before its words are cut into terms."""

    layer: Layer
    row: UUID
    words: str
    """What it is found by."""
    own_words: str
    """What it says itself: for a message without the turn before it."""
    meaning: str
    """What is embedded."""
    section: str = ""
    session: UUID | None = None
    position: int = 0
    speaker: str = ""
    occurred_at: datetime | None = None
    kind: str = ""
    topic: str = ""

    @property
    def is_question(self) -> bool:
        """It asks rather than says."""
        return self.own_words.rstrip().endswith(("?", "？", "؟"))


def draw_drafts(entity: Entity, rows: Mapping[Layer, Sequence[UUID]]) -> list[Draft]:
    """Drafts of what of the rows is to be found now; a dead or erased row gives none."""
    return [
        *_messages(entity, rows.get(Layer.MESSAGE, ())),
        *_atoms(entity, rows.get(Layer.ATOM, ())),
        *_sections(entity, rows.get(Layer.SECTION, ())),
        *_traits(entity, rows.get(Layer.TRAIT, ())),
    ]


def _messages(entity: Entity, ids: Sequence[UUID]) -> Iterable[Draft]:
    """A turn with its session's date and the turn before it; one statement for all, none without ids."""
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    rows = queries.rows("draft_messages", **owner, rows=queries.array(ids)) if ids else []
    for id, session, ordinal, speaker, text, attachments, occurred_at, *earlier in rows:
        own = indexable(_spoken(text, attachments))
        if not own.strip():
            continue
        who, said, shown = earlier
        previous = f"{who} {indexable(_spoken(said, shown))}" if said is not None else ""
        date = _date_words(entity, occurred_at)
        yield Draft(
            layer=Layer.MESSAGE,
            row=id,
            words=f"{date} {previous} {speaker} {own}",
            own_words=own,
            meaning=f"{previous} {speaker}: {own}".strip(),
            session=session,
            position=ordinal,
            speaker=speaker,
            occurred_at=occurred_at,
        )


def _spoken(text: str, attachments: str) -> str:
    """The words of a message and of its attachments, recalled blocks removed."""
    return f"{strip_recalled(text)} {strip_recalled(attachments)}".strip()


def indexable(text: str) -> str:
    """The part of a text that is not too long when it is folded: one character may stand for eighteen.

    The message keeps the rest; it is only not found by it.
    """
    if len(text) * LONGEST_EXPANSION <= LONGEST_FOLDED or text.isascii():
        return text
    folded = 0
    for start in range(0, len(text), PIECE):
        folded += len(unicodedata.normalize("NFKC", text[start : start + PIECE]))
        if folded > LONGEST_FOLDED:
            return text[:start]
    return text


def _date_words(entity: Entity, moment: datetime | None) -> str:
    """The day in words and in numbers: «May 2023» and «2023-05» both find it."""
    if moment is None:
        return ""
    local = moment.astimezone(entity.zone)
    return f"{local:%-d} {local:%B} {local:%Y} {local:%Y-%m-%d}"


def _atoms(entity: Entity, ids: Sequence[UUID]) -> Iterable[Draft]:
    for atom in Atom.objects.for_entity(entity).live().filter(pk__in=ids):
        yield Draft(
            layer=Layer.ATOM,
            row=atom.pk,
            words=f"{atom.text} {atom.topic} {atom.subject} {_date_words(entity, atom.occurred_at)}",
            own_words=atom.text,
            meaning=atom.text,
            speaker=atom.subject,
            occurred_at=atom.occurred_at,
            kind=atom.kind,
            topic=atom.topic,
        )


def _sections(entity: Entity, scene_ids: Sequence[UUID]) -> Iterable[Draft]:
    """A section of a live scene: its standing lines, under the scene's title."""
    heads = {
        head.pk: head for head in SceneVersion.objects.for_entity(entity).live().filter(scene__in=scene_ids)
    }
    sections: dict[tuple[UUID, str], list[str]] = {}
    places = VersionLine.objects.filter(version__in=heads).select_related("line").order_by("position")
    due = _due_lines(entity, [place.line_id for place in places])
    for place in places:
        if place.line_id not in due and place.line.text:
            sections.setdefault((place.version_id, place.line.section), []).append(place.line.text)
    for (version_id, section), texts in sections.items():
        head = heads[version_id]
        yield Draft(
            layer=Layer.SECTION,
            row=head.scene_id,
            section=section,
            words=f"{head.title} {' '.join(texts)}",
            own_words=" ".join(texts),
            meaning=f"{head.title}: {' '.join(texts)}",
            occurred_at=head.created_at,
        )


def _due_lines(entity: Entity, line_ids: Sequence[UUID]) -> set[UUID]:
    lines = Line.objects.for_entity(entity).filter(
        pk__in=line_ids,
        evidence__atom__isnull=False,
        evidence__atom__in=Atom.objects.for_entity(entity).dead(),
    )
    return {line.pk for line in lines if line.is_due(rests_on_dead=True)}


def _traits(entity: Entity, trait_ids: Sequence[UUID]) -> Iterable[Draft]:
    for head in (
        TraitVersion.objects.for_entity(entity)
        .live()
        .filter(trait__in=trait_ids)
        .annotate(slot=F("trait__slot"))
    ):
        yield Draft(
            layer=Layer.TRAIT,
            row=head.trait_id,
            words=head.text,
            own_words=head.text,
            meaning=head.text,
            occurred_at=head.created_at,
        )
