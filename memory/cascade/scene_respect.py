"""What people decided, respected by synthesis: lines they keep, lines they removed, claims they ruled on.

A correction interrupts a synthesis under way, so what was read before the model was asked still stands when
its answer is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.cascade.chain_places import said_last
from memory.cascade.contract import SectionSlug
from memory.cascade.rebuilding.shadows import Ids
from memory.cascade.rulings import Ruling, overruling, rulings_of
from memory.cascade.sameness import rewords, states
from memory.cascade.scene_edits import NewLine
from memory.cascade.scene_state import LineState, ScenesState
from memory.models import Atom, Correction, Entity

EVOLUTION_RECORD: SectionSlug = "evolution_record"
ABOUT_SCENES = (
    Correction.Kind.SCENE_EDITED,
    Correction.Kind.SCENES_MERGED,
    Correction.Kind.SCENE_RETIRED,
    Correction.Kind.SCENE_RESTORED,
)


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """A line that a person took out of a scene, with the claims it rested on."""

    text: str
    atoms: frozenset[UUID]
    removed_at: datetime


@dataclass(frozen=True, slots=True)
class SceneRespect:
    """Judges new lines by what people decided."""

    kept: Sequence[LineState]
    """Lines that are pinned, or a person's."""
    removed: Sequence[RemovedLine]
    rulings: Sequence[Ruling]

    @classmethod
    def read(cls, entity: Entity, state: ScenesState) -> SceneRespect:
        """What people decided about an entity, in at most three statements."""
        kept = [line for scene in state.scenes for line in scene.lines if line.is_kept]
        return cls(kept, removed_lines(entity), rulings_of(entity))

    def against(self, line: NewLine, cited: Sequence[Atom]) -> str:
        """Why a line goes against a decision and no other claim stands behind it; else an empty text."""
        return (
            self._against_kept(line)
            or self._against_removed(line, cited)
            or self._against_rulings(line, cited)
        )

    def summary(self, given: str) -> str:
        """A model's summary; none when it tells what a person took back or out."""
        gone = [ruling.atom.text for ruling in self.rulings if ruling.kind != "written"]
        gone += [line.text for line in self.removed]
        return "" if any(states(text, [given]) for text in gone) else given

    def _against_kept(self, line: NewLine) -> str:
        """A line that is kept is neither said again in other words nor made anew from what it rests on."""
        for kept in self.kept:
            is_beside = _stands_beside(line) and set(line.atoms) <= set(kept.atoms)
            if is_beside or rewords(line.text, kept.text):
                return f"a person {'pinned' if kept.is_pinned else 'wrote'} «{kept.text}»"
        return ""

    def _against_removed(self, line: NewLine, cited: Sequence[Atom]) -> str:
        for removed in self.removed:
            others = [atom for atom in cited if atom.pk not in removed.atoms]
            newer = [atom.text for atom in others if said_last(atom) > removed.removed_at]
            is_beside = _stands_beside(line) and not others
            if is_beside or (rewords(line.text, removed.text) and not states(line.text, newer)):
                return f"a person removed «{removed.text}»"
        return ""

    def _against_rulings(self, line: NewLine, cited: Sequence[Atom]) -> str:
        """A claim that a person took back or corrected is not told again in its own words, nor as history."""
        for ruling in overruling(self.rulings, line.text):
            live = [atom.text for atom in cited if atom.status == Atom.Status.LIVE]
            if ruling.kind != "written" and not states(line.text, live):
                return ruling.reason
        return ""


def _stands_beside(line: NewLine) -> bool:
    """Whether it is one more line about what holds; the Evolution Record tells what changed about that."""
    return line.replaces is None and line.section != EVOLUTION_RECORD


def removed_lines(entity: Entity) -> list[RemovedLine]:
    """The lines that people took out of scenes and did not put back since.

    A rebuild asks for those of the memory that it is made beside, with the copies of their claims.
    """
    ids = Ids(entity) if entity.shadow_of_id else None
    rows = Correction.objects.for_workspace(entity.workspace_id).filter(kind__in=ABOUT_SCENES)
    rows = rows.filter(entity=entity.shadow_of_id or entity.pk).order_by("created_at")
    removed: dict[str, RemovedLine] = {}
    for created_at, before, after in rows.values_list("created_at", "before", "after"):
        _put_back(removed, after.get("added", ()))
        for line in before.get("removed", ()):
            atoms = frozenset(ids.of(UUID(atom)) if ids else UUID(atom) for atom in line["atoms"])
            removed[line["line"]] = RemovedLine(line["text"], atoms, created_at)
    return list(removed.values())


def _put_back(removed: dict[str, RemovedLine], added: Iterable[dict[str, str]]) -> None:
    for line in added:
        for row, gone in list(removed.items()):
            if row == line.get("line") or gone.text == line["text"]:
                del removed[row]
