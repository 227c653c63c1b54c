"""Every layer in full with its receipts, as the agent-memory page shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple
from uuid import UUID

from django.db.models import Q

from memory.models import Entity, Evidence, Session
from memory.recall import ladder
from memory.recall.records import AtomRecord, MessageRecord, SceneRecord, TraitRecord

TRANSCRIPT_LIMIT = 400
"""A memory with more messages than this shows its latest session only."""
ATOMS_LIMIT = 300


class Receipt(NamedTuple):
    """What a row rests on: something shown on the page (`is_here`), or a row that is not."""

    kind: Literal["message", "atom", "line", "correction", "outside"]
    id: UUID | None
    text: str
    is_here: bool


@dataclass(frozen=True)
class Sourced:
    """A record with what it rests on."""

    record: object
    receipts: tuple[Receipt, ...]


@dataclass(frozen=True)
class SceneSection:
    """One section of a scene."""

    heading: str
    lines: tuple[Sourced, ...]


@dataclass(frozen=True)
class ShownScene:
    """A scene with the receipts of each of its lines."""

    scene: SceneRecord
    sections: tuple[SceneSection, ...]


@dataclass(frozen=True)
class Talk:
    """One session and what was said in it."""

    session: str
    messages: tuple[MessageRecord, ...]


@dataclass(frozen=True)
class Layers:
    """The whole ladder."""

    persona: tuple[Sourced, ...]
    scenes: tuple[ShownScene, ...]
    atoms: tuple[Sourced, ...]
    talks: tuple[Talk, ...]
    is_whole_transcript: bool
    is_every_atom: bool


def layers_of(entity: Entity, *, messages: int) -> Layers:
    """Read the ladder of an entity that has so many messages; a fixed number of statements."""
    persona, scenes, found = ladder.persona(entity), ladder.scenes(entity), ladder.memories(entity)
    atoms = found[:ATOMS_LIMIT]
    is_whole = messages <= TRANSCRIPT_LIMIT
    said = ladder.transcript(entity, None if is_whole else _latest_session(entity))
    receipts = _receipts(entity, persona, scenes, atoms, said)
    return Layers(
        persona=tuple(Sourced(trait, receipts[trait.version_id]) for trait in persona),
        scenes=tuple(_shown(scene, receipts) for scene in scenes),
        atoms=tuple(Sourced(atom, receipts[atom.id]) for atom in atoms),
        talks=_talks(said),
        is_whole_transcript=is_whole,
        is_every_atom=len(atoms) == len(found),
    )


def _latest_session(entity: Entity) -> str | None:
    sessions = Session.objects.for_entity(entity).order_by("-created_at")
    return sessions.values_list("external_id", flat=True).first()


def _talks(said: Iterable[MessageRecord]) -> tuple[Talk, ...]:
    return tuple(Talk(name, tuple(messages)) for name, messages in groupby(said, key=lambda one: one.session))


def _shown(scene: SceneRecord, receipts: dict[UUID, tuple[Receipt, ...]]) -> ShownScene:
    return ShownScene(
        scene,
        tuple(
            SceneSection(section.heading, tuple(Sourced(line, receipts[line.id]) for line in section.lines))
            for section in scene.sections
        ),
    )


def _receipts(
    entity: Entity,
    persona: Iterable[TraitRecord],
    scenes: Iterable[SceneRecord],
    atoms: Iterable[AtomRecord],
    said: Iterable[MessageRecord],
) -> dict[UUID, tuple[Receipt, ...]]:
    """What each shown row rests on, in one statement."""
    traits = [trait.version_id for trait in persona]
    lines = [line.id for scene in scenes for section in scene.sections for line in section.lines]
    claims = [atom.id for atom in atoms]
    here = {*lines, *claims, *(message.id for message in said)}
    rows = Evidence.objects.filter(workspace_id=entity.workspace_id, entity=entity).filter(
        Q(of_trait_version__in=traits) | Q(of_line__in=lines) | Q(of_atom__in=claims)
    )
    found: dict[UUID, list[Receipt]] = defaultdict(list)
    for row in rows.order_by("pk"):
        owner = row.of_trait_version_id or row.of_line_id or row.of_atom_id
        if owner is not None:
            found[owner].append(_receipt(row, here))
    return defaultdict(tuple, {owner: tuple(listed) for owner, listed in found.items()})


def _receipt(row: Evidence, here: set[UUID]) -> Receipt:
    if row.message_id is not None:
        return Receipt("message", row.message_id, "", row.message_id in here)
    if row.atom_id is not None:
        return Receipt("atom", row.atom_id, "", row.atom_id in here)
    if row.line_id is not None:
        return Receipt("line", row.line_id, "", row.line_id in here)
    if row.correction_id is not None:
        return Receipt("correction", row.correction_id, "", False)
    return Receipt("outside", None, f"{row.outside_kind}: {row.outside_reference}", False)
