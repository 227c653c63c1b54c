"""What a memory says, as values: compared, hashed and shown, without a database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from memory.cascade.rules.difference import VersionLine
from memory.cascade.scene_state import read_scenes
from memory.models import Atom, Entity, Rebuild, TraitVersion


@dataclass(frozen=True, slots=True)
class AtomView:
    """A live claim."""

    id: UUID
    text: str
    kind: str
    priority: int
    topic: str
    scope: str
    happened_from: str
    happened_until: str
    """Dates as text; empty for none."""


@dataclass(frozen=True, slots=True)
class SceneView:
    """A live scene with its current lines."""

    id: UUID
    title: str
    lines: tuple[VersionLine, ...]


@dataclass(frozen=True, slots=True)
class MemoryView:
    """The live rows of the three derived layers."""

    atoms: tuple[AtomView, ...]
    scenes: tuple[SceneView, ...]
    traits: dict[str, str]
    """Text by slot."""

    def from_layer(self, layer: str) -> MemoryView:
        """The layers that are made anew when one begins there."""
        return MemoryView(
            atoms=self.atoms if layer == Rebuild.Layer.L1 else (),
            scenes=self.scenes if layer != Rebuild.Layer.L3 else (),
            traits=self.traits,
        )

    @property
    def digest(self) -> str:
        """The same for the same words, whichever rows hold them."""
        told = [
            sorted(json.dumps({**asdict(atom), "id": ""}, sort_keys=True) for atom in self.atoms),
            sorted(
                [scene.title, [[line.section, line.text] for line in scene.lines]] for scene in self.scenes
            ),
            sorted(self.traits.items()),
        ]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def view_of(entity: Entity) -> MemoryView:
    """Read it in a constant number of statements."""
    atoms = Atom.objects.for_entity(entity).live().order_by("seq")
    heads = TraitVersion.objects.for_entity(entity).live().select_related("trait")
    return MemoryView(
        atoms=tuple(map(_atom, atoms)),
        scenes=_scenes(entity),
        traits={head.trait.slot: head.text for head in heads},
    )


def _atom(atom: Atom) -> AtomView:
    return AtomView(
        id=atom.pk,
        text=atom.text,
        kind=atom.kind,
        priority=atom.priority,
        topic=atom.topic,
        scope=atom.scope,
        happened_from=str(atom.happened_from or ""),
        happened_until=str(atom.happened_until or ""),
    )


def _scenes(entity: Entity) -> tuple[SceneView, ...]:
    return tuple(
        SceneView(
            scene.id,
            scene.title,
            tuple(VersionLine(line.id, line.section, line.text) for line in scene.lines),
        )
        for scene in read_scenes(entity).scenes
    )


def alike(one: Sequence[VersionLine], other: Sequence[VersionLine]) -> float:
    """How many lines two scenes share, from 0 to 1."""
    left, right = {line.text for line in one}, {line.text for line in other}
    return len(left & right) / max(1, min(len(left), len(right)))
