"""A version of a scene as a person corrects it: its lines in order, and the claims under each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.models import Atom, Entity, Evidence, Line, Scene, SceneVersion, Section
from memory.stewardship.actors import StaleChangeError


@dataclass(frozen=True, slots=True)
class SceneHead:
    """A version with its lines. Lines whose words were erased are no part of it."""

    scene: Scene
    version: SceneVersion
    lines: tuple[Line, ...]
    atoms: Mapping[UUID, tuple[UUID, ...]]
    """The claims under each line."""
    dead: frozenset[UUID]
    """Those of them that no longer hold."""

    @property
    def characters(self) -> int:
        """Length of its lines."""
        return sum(len(line.text) for line in self.lines)

    def standing(self, line: Line) -> tuple[UUID, ...]:
        """The claims under a line that hold."""
        return tuple(atom for atom in self.atoms[line.pk] if atom not in self.dead)

    def is_due(self, line: Line) -> bool:
        """Whether a line waits to be rewritten, since something under it no longer holds."""
        return line.is_due(rests_on_dead=bool(self.dead.intersection(self.atoms[line.pk])))


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line that a person writes; it takes over the claims that are given beside the correction."""

    section: str
    text: str
    atoms: tuple[UUID, ...] = ()
    replaces: UUID | None = None


def read_version(version: SceneVersion) -> SceneHead:
    """A version and what it holds, in four statements."""
    lines = tuple(version.lines.filter(erased_at__isnull=True).order_by("places__position"))
    cited: dict[UUID, list[UUID]] = {line.pk: [] for line in lines}
    rows = Evidence.objects.filter(entity=version.entity_id, of_line__in=lines, atom__isnull=False)
    for line_id, atom_id in rows.order_by("id").values_list("of_line_id", "atom_id"):
        if line_id and atom_id:
            cited[line_id].append(atom_id)
    every = {atom for atoms in cited.values() for atom in atoms}
    dead = Atom.objects.filter(pk__in=every).dead().values_list("pk", flat=True)
    atoms = {line: tuple(found) for line, found in cited.items()}
    return SceneHead(version.scene, version, lines, atoms, frozenset(dead))


def head_of(entity: Entity, scene: Scene, *, base: int | None = None) -> SceneHead:
    """The current version, if the scene still is what the person saw: its status, and `base` its number."""
    rows = SceneVersion.objects.for_entity(entity).heads().select_related("scene", "entity")
    version = rows.filter(scene=scene.pk).first()
    if version is None:
        raise StaleChangeError("The scene is not there any more.")
    if version.scene.status != scene.status:
        raise StaleChangeError(f"The scene is {version.scene.status} by now: look at it again.")
    if base is not None and version.number != base:
        raise StaleChangeError(
            f"Version {base} of the scene is not the current one, {version.number} is: look at it again."
        )
    return read_version(version)


def in_section_order(lines: Sequence[Line | NewLine]) -> list[Line | NewLine]:
    """By section; within one the order stays."""
    order = {section: place for place, section in enumerate(Section.values)}
    return sorted(lines, key=lambda line: order[line.section])
