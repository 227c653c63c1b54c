"""What of a synthesis may become lines: handles, receipts, pins, limits, one scene edit at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from uuid import UUID

from memory.cascade.contract import LineEdit, Refusal, SceneEdit, SectionSlug
from memory.cascade.designs import Limits
from memory.cascade.rules.grounding import ungrounded
from memory.cascade.rules.handles import Handles, Kind, NotOfferedError
from memory.cascade.scene_edits import Edited, NewLine
from memory.cascade.scene_grounds import cited_by, dates_of, evidence_of, missing_in_title, plain_title
from memory.cascade.scene_respect import SceneRespect
from memory.cascade.scene_state import LineState, ScenesState, SceneState
from memory.cascade.stage import Judged, RefusedError
from memory.models import Atom
from memory.recall.terms import terms_of

EVOLUTION_RECORD: SectionSlug = "evolution_record"


@dataclass(slots=True)
class _Course:
    """What the edits taken so far have done to the scenes."""

    live: int
    characters: dict[UUID, int]
    """Length of each scene's lines by now."""
    touched: set[UUID] = field(default_factory=set)
    """Lines replaced or removed already."""
    gone: set[UUID] = field(default_factory=set)
    """Scenes merged away or retired."""
    titles: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class SynthesisJudge:
    """Judges the scene edits of one answer against what was offered."""

    handles: Handles
    state: ScenesState
    full: frozenset[UUID]
    atoms: Mapping[UUID, Atom]
    limits: Limits
    markers: tuple[str, ...]
    zone: tzinfo
    """The entity's own, in which days are named."""
    respect: SceneRespect
    """What people decided about claims and lines."""

    def judge(self, items: Sequence[tuple[int, SceneEdit]], is_last: bool) -> Judged[Edited]:
        """Take what stands, refuse the rest with a reason each.

        At the cap a create is refused once; in the last word its lines join the nearest scene instead.
        Creates come last, since a merge anywhere in the answer makes room.
        """
        course = _Course(
            live=len(self.state.scenes),
            characters={scene.id: scene.characters for scene in self.state.scenes},
            titles={scene.title.casefold() for scene in self.state.scenes},
        )
        taken: list[Edited] = []
        refused: list[Refusal] = []
        for index, item in sorted(items, key=lambda pair: pair[1].action == "create"):
            try:
                taken.append(self._take(index, item, course, is_last))
            except (RefusedError, NotOfferedError) as error:
                refused.append(Refusal(index, str(error), item.model_dump(mode="json")))
        notes = tuple(
            {"item": edit.index, "outcome": "repaired", "reason": note}
            for edit in taken
            for note in edit.notes
        )
        return Judged(tuple(taken), tuple(refused), notes)

    def _take(self, index: int, item: SceneEdit, course: _Course, is_last: bool) -> Edited:
        self._refuse_echo(item)
        if item.action == "create":
            return self._create(index, item, course, is_last)
        scene = self._scene(item.scene, course)
        if item.action == "retire":
            return self._retire(index, item, scene, course)
        merged = self._merged(item, scene, course) if item.action == "merge" else ()
        reachable = {line.id: line for part in (scene, *merged) for line in part.lines}
        lines, removed, left_out = self._lines(item, scene, reachable, course)
        length = self._checked_length(scene, merged, lines, removed, course)
        cited = [*(atom_id for part in (scene, *merged) for atom_id in part.atoms), *cited_by(lines)]
        title, notes = self._grounded_title(item.title, cited, scene.title, is_given=scene.is_titled)
        if item.action == "update" and not (lines or removed or title):
            reasons = "; ".join((*notes, *left_out))
            raise RefusedError(reasons or "An update changes at least one line or the title.")
        course.characters[scene.id] = length
        course.touched |= removed | {line.replaces for line in lines if line.replaces}
        course.live -= len(merged)
        course.gone.update(part.id for part in merged)
        return Edited(
            index=index,
            action=item.action,
            scene_id=scene.id,
            title=title,
            summary=self.respect.summary(item.summary),
            lines=lines,
            removed=removed,
            merged=tuple(part.id for part in merged),
            reason=item.reason,
            notes=(*notes, *left_out),
        )

    def _create(self, index: int, item: SceneEdit, course: _Course, is_last: bool) -> Edited:
        if not item.title:
            raise RefusedError("A new scene needs a title.")
        if item.title.casefold() in course.titles:
            raise RefusedError(f"There is a scene «{item.title}» already: update it.")
        lines, _, left_out = self._lines(item, None, {}, course)
        if not lines:
            raise RefusedError("; ".join(left_out) or "A new scene needs at least one line.")
        if _length(lines) > self.limits.scene_hard_characters:
            raise RefusedError(f"A scene has at most {self.limits.scene_hard_characters} characters.")
        if course.live >= self.limits.scene_cap:
            return self._join_nearest(index, item, lines, course, is_last, left_out)
        title, notes = self._grounded_title(item.title, cited_by(lines), "")
        title = title or plain_title(lines, course.titles, self.atoms, self.zone)
        course.live += 1
        course.titles.add(title.casefold())
        notes, summary = (*notes, *left_out), self.respect.summary(item.summary)
        return Edited(index, "create", None, title, summary, lines, reason=item.reason, notes=notes)

    def _grounded_title(
        self, title: str, cited: Sequence[UUID], standing: str, *, is_given: bool = False
    ) -> tuple[str, tuple[str, ...]]:
        """The title, or none and a note when it names what the claims and the standing title do not hold.

        One that a person gave stays in any case.
        """
        if is_given and title not in ("", standing):
            return "", (f"the title «{title}» was left: a person gave «{standing}»",)
        missing = missing_in_title(title, cited, standing, self.atoms, self.zone)
        if not missing:
            return title, ()
        return "", (f"the title «{title}» was left: its claims do not hold {', '.join(missing)}",)

    def _join_nearest(
        self,
        index: int,
        item: SceneEdit,
        lines: tuple[NewLine, ...],
        course: _Course,
        is_last: bool,
        left_out: tuple[str, ...],
    ) -> Edited:
        if not is_last:
            raise RefusedError(
                f"{self.limits.scene_cap} scenes live already: merge two first, or update the nearest."
            )
        room = self.limits.scene_hard_characters - _length(lines)
        candidates = [
            scene
            for scene in self.state.scenes
            if scene.id not in course.gone and course.characters[scene.id] <= room
        ]
        if not candidates:
            raise RefusedError("Every scene is as long as it may be.")
        wanted = set(terms_of(f"{item.title} {' '.join(line.text for line in lines)}"))
        nearest = max(candidates, key=lambda scene: (_overlap(wanted, scene), -scene.slot))
        course.characters[nearest.id] += _length(lines)
        note = f"«{item.title}» joined «{nearest.title}»: {self.limits.scene_cap} scenes live already"
        notes = (note, *left_out)
        return Edited(index, "update", nearest.id, "", "", lines, reason=item.reason, notes=notes)

    def _retire(self, index: int, item: SceneEdit, scene: SceneState, course: _Course) -> Edited:
        if any(line.is_pinned for line in scene.lines):
            raise RefusedError("A scene with a pinned line is not retired.")
        if scene.is_corrected or any(line.is_kept for line in scene.lines):
            raise RefusedError("A scene that a person corrected is not retired.")
        if not item.reason:
            raise RefusedError("Say why the scene is obsolete.")
        if scene.id not in self.full:
            raise RefusedError("A scene whose lines were not shown is not retired.")
        if any(self._is_standing_rule(atom_id) for atom_id in scene.atoms):
            raise RefusedError("A scene that holds a standing rule is not retired.")
        course.live -= 1
        course.gone.add(scene.id)
        return Edited(index, "retire", scene.id, scene.title, "", reason=item.reason)

    def _is_standing_rule(self, atom_id: UUID) -> bool:
        atom = self.atoms[atom_id]
        return atom.kind == Atom.Kind.INSTRUCTION and atom.status == Atom.Status.LIVE

    def _scene(self, said: str, course: _Course) -> SceneState:
        scene_id = self.handles.resolve(said, kinds=(Kind.SCENE,))
        if scene_id in course.gone:
            raise RefusedError(f"{said} was merged or retired by an earlier item.")
        return self.state.scene(scene_id)

    def _merged(self, item: SceneEdit, scene: SceneState, course: _Course) -> tuple[SceneState, ...]:
        parts = [self._scene(said, course) for said in dict.fromkeys(item.merged)]
        if not parts or scene in parts:
            raise RefusedError("A merge names in merged the other scenes, at least one.")
        return tuple(parts)

    def _lines(
        self, item: SceneEdit, scene: SceneState | None, reachable: Mapping[UUID, LineState], course: _Course
    ) -> tuple[tuple[NewLine, ...], frozenset[UUID], tuple[str, ...]]:
        """New lines, removed ones, and why others were left out: a person decided otherwise."""
        new: list[NewLine] = []
        removed: set[UUID] = set()
        left_out: list[str] = []
        touched = set(course.touched)
        for edit in item.lines:
            old = self._old_line(edit, scene, reachable, touched) if edit.op != "add" else None
            if old is not None:
                touched.add(old.id)
            if edit.op == "remove" and old is not None:
                removed.add(old.id)
                continue
            line = self._new_line(edit, old)
            reason = self.respect.against(line, [self.atoms[atom_id] for atom_id in line.atoms])
            if reason:
                left_out.append(f"«{line.text}» was left out: {reason}")
            else:
                new.append(line)
        return tuple(new), frozenset(removed), tuple(left_out)

    def _old_line(
        self,
        edit: LineEdit,
        scene: SceneState | None,
        reachable: Mapping[UUID, LineState],
        touched: set[UUID],
    ) -> LineState:
        line_id = self.handles.resolve(edit.line, kinds=(Kind.LINE,))
        if line_id not in reachable:
            raise RefusedError(f"{edit.line} is not a line of this scene.")
        if line_id in touched:
            raise RefusedError(f"{edit.line} was changed by another edit of this answer.")
        if reachable[line_id].is_pinned:
            raise RefusedError(f"{edit.line} is pinned by a person.")
        if reachable[line_id].is_kept:
            raise RefusedError(f"{edit.line} was written by a person, and what it rests on holds.")
        return reachable[line_id]

    def _new_line(self, edit: LineEdit, old: LineState | None) -> NewLine:
        if not edit.text:
            raise RefusedError("A line needs a text.")
        ids = tuple(dict.fromkeys(self.handles.resolve(said, kinds=(Kind.ATOM,)) for said in edit.atoms))
        if not ids:
            raise RefusedError(f"«{edit.text[:60]}» names no claim that it rests on.")
        cited = [self.atoms[atom_id] for atom_id in ids]
        if edit.section != EVOLUTION_RECORD:
            dead = [atom.text[:60] for atom in cited if atom.status != Atom.Status.LIVE]
            if dead:
                raise RefusedError(
                    f"«{dead[0]}» no longer holds; outside evolution_record nothing rests on it."
                )
        missing = ungrounded(
            edit.text,
            [evidence_of(atom, self.atoms) for atom in cited],
            allowed_dates=dates_of(cited, self.zone),
        )
        if missing:
            raise RefusedError(f"The claims it rests on do not hold: {', '.join(missing)}.")
        return NewLine(edit.section, edit.text, ids, old.id if old else None)

    def _checked_length(
        self,
        scene: SceneState,
        merged: Sequence[SceneState],
        lines: Sequence[NewLine],
        removed: frozenset[UUID],
        course: _Course,
    ) -> int:
        """The scene's length after the edit, on top of the earlier edits of this answer."""
        parts = (scene, *merged)
        replaced = {line.replaces for line in lines} | removed
        taken_out = sum(len(line.text) for part in parts for line in part.lines if line.id in replaced)
        standing = sum(course.characters[part.id] for part in parts)
        total = standing - taken_out + _length(lines)
        # An over-long scene may shrink, and nothing may grow beyond the limit, by merging neither.
        if total > self.limits.scene_hard_characters and total > course.characters[scene.id]:
            raise RefusedError(
                f"The scene would have {total} characters, the limit is {self.limits.scene_hard_characters}: "
                "replace or remove lines."
            )
        return total

    def _refuse_echo(self, item: SceneEdit) -> None:
        folded = " ".join((item.title, item.summary, *(line.text for line in item.lines))).casefold()
        for marker in self.markers:
            if marker.casefold() in folded:
                raise RefusedError("It repeats an example of the prompt.")


def _length(lines: Sequence[NewLine]) -> int:
    return sum(len(line.text) for line in lines)


def _overlap(wanted: set[str], scene: SceneState) -> int:
    words = f"{scene.title} {scene.summary} {' '.join(line.text for line in scene.lines)}"
    return len(wanted.intersection(terms_of(words)))
