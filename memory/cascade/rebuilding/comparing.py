"""The difference that a rebuild would make: which row of the new memory stands for which of the old one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.cascade.rebuilding.views import AtomView, MemoryView, SceneView, alike
from memory.cascade.rules.difference import REWORDED_FROM, Difference, difference, similarity

ONE_SCENE = 0.5
"""Scenes that share so many of their lines are one, whatever their titles."""
MOST_COMPARISONS = 40_000
"""Beyond it a reworded claim is shown as one that went and one that came."""


@dataclass(frozen=True, slots=True)
class AtomChange:
    """A claim before and after; None where there is none."""

    before: AtomView | None
    after: AtomView | None


@dataclass(frozen=True, slots=True)
class SceneChange:
    """A scene before and after, with the difference of its lines."""

    before: SceneView | None
    after: SceneView | None
    lines: Difference


@dataclass(frozen=True, slots=True)
class TraitChange:
    """A slot of the persona before and after; empty where it says nothing."""

    slot: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Changes:
    """All that a swap would change; what stays as it is is counted alone."""

    atoms: tuple[AtomChange, ...]
    atoms_kept: int
    scenes: tuple[SceneChange, ...]
    scenes_kept: int
    traits: tuple[TraitChange, ...]
    traits_kept: int

    @property
    def is_empty(self) -> bool:
        """Nothing would change."""
        return not (self.atoms or self.scenes or self.traits)

    @property
    def counts(self) -> dict[str, int]:
        """How much of each, for the record."""
        return {
            "atoms_added": sum(change.before is None for change in self.atoms),
            "atoms_gone": sum(change.after is None for change in self.atoms),
            "atoms_changed": sum(None not in (change.before, change.after) for change in self.atoms),
            "scenes_added": sum(change.before is None for change in self.scenes),
            "scenes_gone": sum(change.after is None for change in self.scenes),
            "scenes_changed": sum(None not in (change.before, change.after) for change in self.scenes),
            "traits_changed": len(self.traits),
        }


def compare(old: MemoryView, new: MemoryView, known: Mapping[UUID, UUID]) -> Changes:
    """Compare two memories; `known` names the old row that a new one is a copy of."""
    atoms = _atoms(old.atoms, new.atoms)
    scenes = _scenes(old.scenes, new.scenes, known)
    slots = sorted({*old.traits, *new.traits})
    traits = [TraitChange(slot, old.traits.get(slot, ""), new.traits.get(slot, "")) for slot in slots]
    changed_traits = tuple(change for change in traits if change.before != change.after)
    return Changes(
        atoms=tuple(change for change in atoms if not _is_same(change)),
        atoms_kept=sum(map(_is_same, atoms)),
        scenes=tuple(change for change in scenes if not _stays(change)),
        scenes_kept=sum(map(_stays, scenes)),
        traits=changed_traits,
        traits_kept=len(traits) - len(changed_traits),
    )


def _atoms(old: Sequence[AtomView], new: Sequence[AtomView]) -> list[AtomChange]:
    """Pairs by text, then by how much of their words they share, the most alike first."""
    by_text: dict[str, AtomView] = {atom.text: atom for atom in old}
    pairs = {atom.id: by_text[atom.text] for atom in new if atom.text in by_text}
    taken = {atom.id for atom in pairs.values()}
    left = [atom for atom in old if atom.id not in taken]
    right = [atom for atom in new if atom.id not in pairs]
    for _, before, after in _reworded(left, right):
        if after.id not in pairs and before.id not in taken:
            pairs[after.id] = before
            taken.add(before.id)
    changes = [AtomChange(pairs.get(atom.id), atom) for atom in new]
    return [*changes, *(AtomChange(atom, None) for atom in left if atom.id not in taken)]


def _reworded(left: Sequence[AtomView], right: Sequence[AtomView]) -> list[tuple[float, AtomView, AtomView]]:
    if len(left) * len(right) > MOST_COMPARISONS:
        return []
    scored = [
        (score, before, after)
        for before in left
        for after in right
        if (score := similarity(before.text, after.text)) >= REWORDED_FROM
    ]
    return sorted(scored, key=lambda found: -found[0])


def _is_same(change: AtomChange) -> bool:
    if change.before is None or change.after is None:
        return False
    return _told(change.before) == _told(change.after)


def _told(atom: AtomView) -> tuple[object, ...]:
    return (
        *(atom.text, atom.kind, atom.priority, atom.topic, atom.scope),
        *(atom.happened_from, atom.happened_until),
    )


def pair_scenes(
    old: Sequence[SceneView], new: Sequence[SceneView], known: Mapping[UUID, UUID]
) -> dict[UUID, UUID]:
    """Which old scene each new one continues: its own copy, one of its title, else one of its lines."""
    pairs = {scene.id: known[scene.id] for scene in new if scene.id in known}
    free = {scene.id: scene for scene in old if scene.id not in pairs.values()}
    titles: dict[str, list[UUID]] = defaultdict(list)
    for scene in free.values():
        titles[scene.title.casefold()].append(scene.id)
    for scene in new:
        if scene.id not in pairs and (named := titles[scene.title.casefold()]):
            pairs[scene.id] = named.pop(0)
            del free[pairs[scene.id]]
    rest = [scene for scene in new if scene.id not in pairs]
    scored = [(alike(one.lines, other.lines), one.id, other.id) for one in rest for other in free.values()]
    for score, one, other in sorted(scored, key=lambda found: -found[0]):
        if score >= ONE_SCENE and one not in pairs and other in free:
            pairs[one] = other
            del free[other]
    return pairs


def _scenes(
    old: Sequence[SceneView], new: Sequence[SceneView], known: Mapping[UUID, UUID]
) -> list[SceneChange]:
    pairs = pair_scenes(old, new, known)
    by_id = {scene.id: scene for scene in old}
    changes = [_scene(by_id.get(pairs[scene.id]) if scene.id in pairs else None, scene) for scene in new]
    gone = [scene for scene in old if scene.id not in pairs.values()]
    return [*changes, *(_scene(scene, None) for scene in gone)]


def _scene(before: SceneView | None, after: SceneView | None) -> SceneChange:
    lines = difference(before.lines if before else (), after.lines if after else ())
    return SceneChange(before, after, lines)


def _stays(change: SceneChange) -> bool:
    if change.before is None or change.after is None:
        return False
    order = [[(line.section, line.text) for line in scene.lines] for scene in (change.before, change.after)]
    return change.before.title == change.after.title and order[0] == order[1]
