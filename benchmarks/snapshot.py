"""The layers above the words as plain values, to compare what two runs made of the same words."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from memory.models import Entity
from memory.recall import ladder
from memory.recall.records import AtomRecord, SceneRecord


@dataclass(frozen=True)
class Snapshot:
    """No id and no time of making is in it: the same memory is equal whenever and wherever it was made."""

    atoms: tuple[tuple[Any, ...], ...]
    scenes: tuple[tuple[Any, ...], ...]
    traits: tuple[tuple[str, str], ...]

    def digest(self) -> str:
        """The same for equal memories."""
        words = json.dumps([self.atoms, self.scenes, self.traits], ensure_ascii=False)
        return hashlib.sha256(words.encode()).hexdigest()[:16]

    def as_json(self) -> dict[str, Any]:
        """Lists and strings, as they come back from JSON."""
        shown: dict[str, Any] = json.loads(
            json.dumps({"atoms": self.atoms, "scenes": self.scenes, "traits": self.traits})
        )
        return shown


def snapshot(entity: Entity) -> Snapshot:
    """Atoms with their history, live scenes line by line, live traits."""
    atoms = ladder.memories(entity, include_history=True)
    texts = {atom.id: atom.text for atom in atoms}
    return Snapshot(
        # Sorted: in which order equal times were written is no part of what is remembered.
        atoms=tuple(sorted(_atom(atom, texts) for atom in atoms)),
        scenes=tuple(sorted(_scene(scene) for scene in ladder.scenes(entity))),
        traits=tuple((trait.slot, trait.text) for trait in ladder.persona(entity)),
    )


def _atom(atom: AtomRecord, texts: dict[Any, str]) -> tuple[Any, ...]:
    return (
        atom.text,
        atom.status,
        atom.kind,
        atom.priority,
        atom.topic,
        atom.subject,
        atom.scope,
        str(atom.said_at or ""),
        str(atom.happened_from or ""),
        str(atom.happened_until or ""),
        atom.receipts,
        texts.get(atom.superseded_by, ""),
    )


def _scene(scene: SceneRecord) -> tuple[Any, ...]:
    sections = tuple(
        (section.section, tuple(line.text for line in section.lines)) for section in scene.sections
    )
    return (scene.title, scene.summary, sections)
