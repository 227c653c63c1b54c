"""Swapping L2: new contents become the next versions of the scenes they continue; the others are retired."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory.cascade.contract import SCENE_CAP
from memory.cascade.rebuilding.comparing import pair_scenes
from memory.cascade.rebuilding.shadows import Ids, copy_of
from memory.cascade.rebuilding.views import SceneView
from memory.cascade.rules.difference import VersionLine as LineView
from memory.models import Entity, Evidence, Line, Scene, SceneVersion, VersionLine


@dataclass(frozen=True, slots=True)
class StoredScene:
    """A scene with its head, the lines of the head in order, and the atoms under each line."""

    scene: Scene
    head: SceneVersion
    lines: tuple[Line, ...]
    atoms: Mapping[UUID, frozenset[UUID]]

    @property
    def view(self) -> SceneView:
        """What it says."""
        lines = tuple(LineView(line.pk, line.section, line.text) for line in self.lines)
        return SceneView(self.scene.pk, self.head.title, lines)


def stored_scenes(entity: Entity) -> list[StoredScene]:
    """The live scenes in slot order; a constant number of statements."""
    heads = list(SceneVersion.objects.for_entity(entity).live().select_related("scene"))
    lines: dict[UUID, list[Line]] = defaultdict(list)
    places = VersionLine.objects.filter(version__in=heads).select_related("line").order_by("position")
    for place in places:
        lines[place.version_id].append(place.line)
    atoms: dict[UUID, set[UUID]] = defaultdict(set)
    told = Evidence.objects.filter(
        entity=entity, of_line__in=[line for row in lines.values() for line in row]
    )
    for line_id, atom_id in told.filter(atom__isnull=False).values_list("of_line_id", "atom_id"):
        if line_id and atom_id:
            atoms[line_id].add(atom_id)
    return [
        StoredScene(
            head.scene,
            head,
            tuple(lines[head.pk]),
            {line.pk: frozenset(atoms[line.pk]) for line in lines[head.pk]},
        )
        for head in heads
    ]


def merged_scenes(shadow: Entity) -> dict[UUID, UUID]:
    """Scenes of a shadow that went into another one."""
    rows = Scene.objects.for_entity(shadow).filter(merged_into__isnull=False)
    return {pk: into for pk, into in rows.values_list("pk", "merged_into_id") if into}


@dataclass(slots=True)
class SceneSwap:
    """Puts made scenes in the place of the live ones; the shadow's own rows must be gone by now."""

    entity: Entity
    ids: Ids
    made: Sequence[StoredScene]
    merged: Mapping[UUID, UUID]
    row_of_atom: Mapping[UUID, UUID]
    """The stored row that each made atom is."""
    seen_by: UUID | None
    """The run that stands for «nobody has to look at this»."""
    row_of_line: dict[UUID, UUID] = field(default_factory=dict)
    """The stored row that each made line is, or becomes."""

    def write(self) -> None:
        """Write the next versions, then open what is new in the slots that became free."""
        stored = {scene.scene.pk: scene for scene in stored_scenes(self.entity)}
        known = {
            scene.scene.pk: original
            for scene in self.made
            if (original := self.ids.original(scene.scene.pk)) in stored
        }
        views = [scene.view for scene in self.made]
        pairs = pair_scenes([scene.view for scene in stored.values()], views, known)
        self._end([scene for pk, scene in stored.items() if pk not in pairs.values()], pairs)
        for made in self.made:
            target = stored.get(pairs.get(made.scene.pk, made.scene.pk))
            if target is None:
                self._open(made)
            else:
                self._continue(made, target)

    def keep(self) -> None:
        """Write nothing: every made line is the copy of one that stands."""
        for scene in self.made:
            for line in scene.lines:
                self.row_of_line[line.pk] = self.ids.original(line.pk) or line.pk

    def _end(self, scenes: Sequence[StoredScene], pairs: Mapping[UUID, UUID]) -> None:
        """Retired, or merged where the shadow merged the copy; the last version stays to be read."""
        into = {self.ids.original(part): pairs.get(whole, whole) for part, whole in self.merged.items()}
        for stored in scenes:
            scene = stored.scene
            whole = into.get(scene.pk)
            scene.status = Scene.Status.MERGED if whole else Scene.Status.RETIRED
            scene.slot, scene.merged_into_id = None, whole
            scene.save(update_fields=["status", "slot", "merged_into"])
            heads = SceneVersion.objects.filter(pk=stored.head.pk, consumed_by__isnull=True)
            heads.update(consumed_by=self.seen_by, parked_by=None, parked_at=None)

    def _open(self, made: StoredScene) -> None:
        taken = set(Scene.objects.for_entity(self.entity).live().values_list("slot", flat=True))
        slot = next(slot for slot in range(1, SCENE_CAP + 1) if slot not in taken)
        scene = copy_of(made.scene, entity_id=self.entity.pk, slot=slot)
        Scene.objects.bulk_create([scene])
        self._version(scene, made, self._lines(scene, made, None), number=1, title=made.head.title)

    def _continue(self, made: StoredScene, target: StoredScene) -> None:
        lines = self._lines(target.scene, made, target)
        # A title that a person gave stays.
        title = target.head.title if target.head.correction_id else made.head.title
        stands = [line.pk for line in target.lines] == lines and target.head.title == title
        if stands and target.head.summary == made.head.summary:
            return
        SceneVersion.objects.filter(pk=target.head.pk).update(is_head=False)
        Scene.objects.filter(pk=target.scene.pk).update(heat=target.scene.heat + 1)
        self._version(target.scene, made, lines, number=target.head.number + 1, title=title)

    def _version(
        self, scene: Scene, made: StoredScene, lines: Sequence[UUID], *, number: int, title: str
    ) -> None:
        version = copy_of(
            made.head, entity_id=self.entity.pk, scene_id=scene.pk, number=number, title=title, is_head=True
        )
        SceneVersion.objects.bulk_create([version])
        VersionLine.objects.bulk_create(
            VersionLine(
                workspace_id=scene.workspace_id,
                entity_id=self.entity.pk,
                version_id=version.pk,
                line_id=line,
                position=position,
            )
            for position, line in enumerate(lines)
        )

    def _lines(self, scene: Scene, made: StoredScene, target: StoredScene | None) -> list[UUID]:
        """The stored rows of the made lines, written where there is none."""
        stood = target.lines if target else ()
        grounds = target.atoms if target else {}
        standing = {(line.section, line.text, grounds[line.pk]): line.pk for line in stood}
        fresh: list[Line] = []
        for line in made.lines:
            atoms = frozenset(self.row_of_atom.get(atom, atom) for atom in made.atoms[line.pk])
            original = self.ids.original(line.pk) or standing.get((line.section, line.text, atoms))
            self.row_of_line[line.pk] = original or line.pk
            if original is None:
                fresh.append(copy_of(line, entity_id=self.entity.pk, scene_id=scene.pk))
        Line.objects.bulk_create(fresh)
        self._cite(fresh, made)
        return [self.row_of_line[line.pk] for line in made.lines]

    def _cite(self, fresh: Sequence[Line], made: StoredScene) -> None:
        Evidence.objects.bulk_create(
            Evidence(
                workspace_id=self.entity.workspace_id,
                entity=self.entity,
                of_line_id=line.pk,
                atom_id=atom,
                run_id=line.run_id,
            )
            for line in fresh
            for atom in sorted({self.row_of_atom.get(atom, atom) for atom in made.atoms[line.pk]})
        )
