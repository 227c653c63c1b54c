"""The live scenes of an entity as they stand: heads, ordered lines, and the atoms under each line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db.models import Exists, OuterRef

from memory.cascade.contract import SectionSlug
from memory.models import Atom, Entity, Evidence, Line, SceneVersion, VersionLine


@dataclass(frozen=True, slots=True)
class LineState:
    """A line of a head version."""

    id: UUID
    section: SectionSlug
    text: str
    is_pinned: bool
    atoms: tuple[UUID, ...]
    is_due: bool
    """Rests on an atom that is no longer live, outside the Evolution Record, and is not pinned."""
    decided_at: datetime | None = None
    """When a person wrote it; None for a line that a model wrote."""

    @property
    def is_kept(self) -> bool:
        """Whether a model leaves it: pinned, or a person's while what it rests on holds."""
        return self.is_pinned or (self.decided_at is not None and not self.is_due)


@dataclass(frozen=True, slots=True)
class SceneState:
    """A live scene and its head."""

    id: UUID
    head_id: UUID
    number: int
    slot: int
    title: str
    summary: str
    is_changed: bool
    """The persona has not looked at this head."""
    lines: tuple[LineState, ...]
    is_titled: bool = False
    """A person gave it its title."""
    is_corrected: bool = False
    """A person corrected it once: it is not a model's to retire."""

    @property
    def atoms(self) -> tuple[UUID, ...]:
        """The atoms under its lines, each once, in order."""
        return tuple(dict.fromkeys(atom_id for line in self.lines for atom_id in line.atoms))

    @property
    def is_due(self) -> bool:
        """Some line has to be rewritten."""
        return any(line.is_due for line in self.lines)

    @property
    def characters(self) -> int:
        """Length of its lines."""
        return sum(len(line.text) for line in self.lines)


@dataclass(frozen=True, slots=True)
class ScenesState:
    """All live scenes in slot order, with the atoms under their lines by id."""

    scenes: tuple[SceneState, ...]
    atoms: dict[UUID, Atom]

    def scene(self, scene_id: UUID) -> SceneState:
        """The scene of an id; KeyError for any other."""
        return next(scene for scene in self.scenes if scene.id == scene_id)


def read_scenes(entity: Entity) -> ScenesState:
    """Read the live scenes in four statements, whatever their number."""
    heads = _heads(entity)
    places = _places(heads)
    lines = [place.line for rows in places.values() for place in rows]
    cited = _cited_atoms(entity, lines)
    atoms = Atom.objects.for_entity(entity).in_bulk({atom_id for ids in cited.values() for atom_id in ids})
    return ScenesState(
        scenes=tuple(
            SceneState(
                id=head.scene_id,
                head_id=head.pk,
                number=head.number,
                slot=head.scene.slot or 0,
                title=head.title,
                summary=head.summary,
                is_changed=head.consumed_by_id is None and head.parked_at is None,
                lines=tuple(
                    _line_state(place.line, cited[place.line_id], atoms) for place in places[head.pk]
                ),
                is_titled=head.is_titled,
                is_corrected=head.is_corrected,
            )
            for head in heads
        ),
        atoms=atoms,
    )


def _heads(entity: Entity) -> list[Any]:
    """The heads of live scenes, with what a person did to each."""
    versions = SceneVersion.objects.filter(scene=OuterRef("scene"), correction__isnull=False)
    titled = versions.filter(correction__after__is_titled=True, title=OuterRef("title"))
    heads = SceneVersion.objects.for_entity(entity).live().select_related("scene")
    return list(heads.annotate(is_titled=Exists(titled), is_corrected=Exists(versions)))


def _places(heads: Sequence[SceneVersion]) -> dict[UUID, list[VersionLine]]:
    places: dict[UUID, list[VersionLine]] = {head.pk: [] for head in heads}
    rows = VersionLine.objects.filter(version__in=heads).select_related("line__correction")
    rows = rows.order_by("position")
    for place in rows:
        places[place.version_id].append(place)
    return places


def _cited_atoms(entity: Entity, lines: Iterable[Line]) -> dict[UUID, list[UUID]]:
    cited: dict[UUID, list[UUID]] = defaultdict(list)
    rows = Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, of_line__in=[line.pk for line in lines]
    )
    for line_id, atom_id in (
        rows.filter(atom__isnull=False).order_by("id").values_list("of_line_id", "atom_id")
    ):
        cited[line_id].append(atom_id)
    return cited


def _line_state(line: Line, cited: Sequence[UUID], atoms: dict[UUID, Atom]) -> LineState:
    rests_on_dead = any(atoms[atom_id].status != Atom.Status.LIVE for atom_id in cited)
    return LineState(
        id=line.pk,
        section=cast(SectionSlug, line.section),
        text=line.text,
        is_pinned=line.is_pinned,
        atoms=tuple(cited),
        is_due=line.is_due(rests_on_dead=rests_on_dead),
        decided_at=line.correction.created_at if line.correction else None,
    )
