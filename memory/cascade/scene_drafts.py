"""The next versions of scenes, built in memory: edits applied, due lines taken out, sections in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from memory.cascade.rules.grounding import ungrounded
from memory.cascade.rules.summaries import summary_of
from memory.cascade.scene_edits import Edited, NewLine
from memory.cascade.scene_state import LineState, ScenesState, SceneState
from memory.models import Section

Said = tuple[datetime, int]
"""When a claim was said, and its number, which tells equal times apart."""
FIRST_OF_ALL: Said = (datetime.min.replace(tzinfo=UTC), 0)
SECTION_ORDER = {section: position for position, section in enumerate(Section.values)}


@dataclass(slots=True)
class Draft:
    """The next version of a scene, while edits are applied."""

    scene: SceneState | None
    """None for a scene that is opened now."""
    title: str
    summary: str
    lines: list[LineState | NewLine]
    run_notes: list[dict[str, Any]] = field(default_factory=list)
    is_changed: bool = False
    is_live: bool = True
    merged_into: UUID | None = None
    reason: str = ""


class Drafts:
    """The drafts of all scenes that an answer touches."""

    def __init__(self, state: ScenesState, said: Mapping[UUID, Said]) -> None:
        self._state = state
        self._said = said
        self.by_scene: dict[UUID, Draft] = {}
        self.opened: list[Draft] = []

    def apply(self, edit: Edited) -> None:
        """Apply one edit."""
        if edit.scene_id is None:
            opened = Draft(None, edit.title, edit.summary, [], is_changed=True, reason=edit.reason)
            _change_lines(opened, edit)
            self.opened.append(opened)
            return
        draft = self.draft(edit.scene_id)
        draft.reason = edit.reason or draft.reason
        if edit.action == "retire":
            draft.is_live = False
            draft.is_changed = True
            return
        for merged in edit.merged:
            self._absorb(draft, merged, edit.scene_id)
        _change_lines(draft, edit)
        if edit.merged:
            draft.lines = _as_said(draft.lines, self._said)
        if edit.title and edit.title != draft.title:
            draft.title, draft.is_changed = edit.title, True
        draft.summary = edit.summary or draft.summary

    def draft(self, scene_id: UUID) -> Draft:
        """The draft of a live scene, begun from its head."""
        if scene_id not in self.by_scene:
            scene = self._state.scene(scene_id)
            self.by_scene[scene_id] = Draft(scene, scene.title, "", list(scene.lines))
        return self.by_scene[scene_id]

    def _absorb(self, draft: Draft, merged: UUID, into: UUID) -> None:
        part = self.draft(merged)
        draft.lines.extend(part.lines)
        draft.is_changed = part.is_changed = True
        part.is_live, part.merged_into = False, into

    def settle(self, scene_id: UUID) -> None:
        """A scene that was shown with due lines keeps none of them: what was not rewritten is taken out."""
        draft = self.by_scene.get(scene_id)
        if draft is None and self._state.scene(scene_id).is_due:
            draft = self.draft(scene_id)
        if draft is None or not draft.is_live:
            return
        due = [line for line in draft.lines if isinstance(line, LineState) and line.is_due]
        for line in due:
            draft.lines.remove(line)
            draft.is_changed = True
            draft.run_notes.append(
                {
                    "outcome": "repaired",
                    "reason": "rested on what no longer holds and was not rewritten",
                    "line": str(line.id),
                }
            )


def _change_lines(draft: Draft, edit: Edited) -> None:
    replacing = {line.replaces: line for line in edit.lines if line.replaces is not None}
    kept: list[LineState | NewLine] = []
    for line in draft.lines:
        if isinstance(line, LineState) and line.id in edit.removed:
            draft.is_changed = True
        elif isinstance(line, LineState) and line.id in replacing:
            kept.append(replacing[line.id])
            draft.is_changed = True
        else:
            kept.append(line)
    # A line that is due will be taken out: the same words may come back on what holds now.
    standing = {(line.section, line.text) for line in kept if isinstance(line, NewLine) or not line.is_due}
    for line in edit.lines:
        if line.replaces is None and (line.section, line.text) not in standing:
            standing.add((line.section, line.text))
            kept.append(line)
            draft.is_changed = True
    draft.lines = _in_section_order(kept)


def _in_section_order(lines: Sequence[LineState | NewLine]) -> list[LineState | NewLine]:
    """Sorting is stable: within a section the order of writing stays."""
    return sorted(lines, key=lambda line: SECTION_ORDER[line.section])


def _as_said(lines: Sequence[LineState | NewLine], said: Mapping[UUID, Said]) -> list[LineState | NewLine]:
    """Lines of several scenes by when their claims were said; one without claims follows its neighbour."""
    keys: list[tuple[int, Said]] = []
    last = FIRST_OF_ALL
    for line in _in_section_order(lines):
        last = min((said[atom_id] for atom_id in line.atoms if atom_id in said), default=last)
        keys.append((SECTION_ORDER[line.section], last))
    paired = sorted(zip(keys, _in_section_order(lines), strict=True), key=lambda pair: pair[0])
    return [line for _, line in paired]


def checked_summary(draft: Draft) -> str:
    """The given summary where the lines hold its names and numbers, else one made from the lines.

    The Evolution Record is not among these: it tells of what held once, and a summary of what holds.
    """
    texts = [line.text for line in draft.lines if line.section != "evolution_record"]
    if ungrounded(draft.summary, [*texts, draft.title]):
        draft.run_notes.append({"outcome": "repaired", "reason": "the summary named what no line holds"})
        draft.summary = ""
    return summary_of(draft.summary, texts)
