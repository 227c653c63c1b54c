"""Writing scenes: new versions carry unchanged lines over with their evidence, so differences are exact."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from memory.cascade.scene_drafts import Draft, Drafts, checked_summary
from memory.cascade.scene_edits import Edited, NewLine
from memory.cascade.scene_state import LineState, ScenesState
from memory.cascade.stage import StaleInputsError, Written
from memory.cascade.work import Claim
from memory.models import Atom, Evidence, Line, Scene, SceneVersion, VersionLine
from memory.models.base import new_id

EVOLUTION_RECORD = "evolution_record"


def write_synthesis(
    claim: Claim, *, atoms: Sequence[Atom], state: ScenesState, full: Sequence[UUID], edits: Sequence[Edited]
) -> Written:
    """Write the edits as new versions and mark the atoms placed.

    Raises StaleInputsError when an atom, or the head of a scene that is written to, changed meanwhile.
    """
    _consume(claim, atoms)
    _refuse_changed_atoms(claim, state, edits)
    said = {
        atom.pk: (atom.occurred_at or atom.created_at, atom.seq) for atom in (*state.atoms.values(), *atoms)
    }
    drafts = Drafts(state, said)
    for edit in edits:
        drafts.apply(edit)
    for scene_id in full:
        drafts.settle(scene_id)
    writer = _Writer(claim)
    writer.write(drafts)
    _note_left_out(writer.written, atoms, writer.placed)
    return writer.written


def _consume(claim: Claim, atoms: Sequence[Atom]) -> None:
    """Mark atoms placed; every one must still be pending and in the state in which it was read."""
    by_status: dict[str, list[UUID]] = {}
    for atom in atoms:
        by_status.setdefault(atom.status, []).append(atom.pk)
    for status, ids in by_status.items():
        rows = Atom.objects.for_entity(claim.entity).pending().filter(pk__in=ids, status=status)
        if rows.update(consumed_by=claim.run) != len(ids):
            raise StaleInputsError("an atom was superseded or erased while the scenes were thought about")


def _refuse_changed_atoms(claim: Claim, state: ScenesState, edits: Sequence[Edited]) -> None:
    cited = {
        atom_id
        for edit in edits
        for line in edit.lines
        if line.section != EVOLUTION_RECORD
        for atom_id in line.atoms
    }
    if Atom.objects.for_entity(claim.entity).live().filter(pk__in=cited).count() != len(cited):
        raise StaleInputsError("an atom under a new line was superseded or erased")


class _Writer:
    """Writes drafts as rows: a constant number of statements, whatever the number of lines."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.written = Written()
        self.placed: set[UUID] = set()
        """Atoms under the new lines."""
        self._lines: list[Line] = []
        self._places: list[VersionLine] = []
        self._evidence: list[Evidence] = []
        self._versions: list[SceneVersion] = []

    def write(self, drafts: Drafts) -> None:
        """Write what changed; StaleInputsError when a head moved."""
        changed = {scene_id: draft for scene_id, draft in drafts.by_scene.items() if draft.is_changed}
        scenes = self._lock(changed)
        for scene_id, draft in changed.items():
            self._end_or_continue(scenes[scene_id], draft)
        for draft in drafts.opened:
            self._version(self._open(draft), draft, number=1)
        SceneVersion.objects.bulk_create(self._versions)
        Line.objects.bulk_create(self._lines)
        VersionLine.objects.bulk_create(self._places)
        Evidence.objects.bulk_create(self._evidence)

    def _lock(self, changed: Mapping[UUID, Draft]) -> dict[UUID, Scene]:
        heads = SceneVersion.objects.for_entity(self.claim.entity).heads().filter(scene__in=changed)
        read = {draft.scene.head_id for draft in changed.values() if draft.scene}
        if set(heads.values_list("pk", flat=True)) != read:
            raise StaleInputsError("a scene got a new version meanwhile")
        heads.update(is_head=False)
        return Scene.objects.for_entity(self.claim.entity).live().in_bulk(list(changed))

    def _end_or_continue(self, scene: Scene, draft: Draft) -> None:
        assert draft.scene is not None  # noqa: S101  # only scenes that stood are continued
        scene.heat += 1
        if draft.is_live and draft.lines:
            scene.save(update_fields=["heat"])
            self._version(scene, draft, number=draft.scene.number + 1)
            return
        # An ended scene keeps its last version as its head: what it said stays readable.
        SceneVersion.objects.filter(pk=draft.scene.head_id).update(is_head=True, consumed_by=self.claim.run)
        scene.status = Scene.Status.MERGED if draft.merged_into else Scene.Status.RETIRED
        scene.slot, scene.merged_into_id = None, draft.merged_into
        scene.save(update_fields=["heat", "status", "slot", "merged_into"])
        self.written.add("scenes_ended", scene.pk)
        self._decide(scene, draft, str(scene.status), draft.scene.number)

    def _open(self, draft: Draft) -> Scene:
        taken = set(Scene.objects.for_entity(self.claim.entity).live().values_list("slot", flat=True))
        scene = Scene.objects.create(
            workspace_id=self.claim.entity.workspace_id,
            entity=self.claim.entity,
            slug=secrets.token_hex(6),
            slot=next(slot for slot in range(1, 16) if slot not in taken),
            heat=1,
        )
        self.written.add("scenes", scene.pk)
        return scene

    def _version(self, scene: Scene, draft: Draft, *, number: int) -> None:
        version = SceneVersion(
            id=new_id(),
            workspace_id=scene.workspace_id,
            entity_id=scene.entity_id,
            scene=scene,
            number=number,
            title=draft.title,
            summary=checked_summary(draft),
            run=self.claim.run,
        )
        self._versions.append(version)
        for position, line in enumerate(draft.lines):
            line_id = line.id if isinstance(line, LineState) else self._line(scene, line)
            self._places.append(
                VersionLine(
                    workspace_id=scene.workspace_id,
                    entity_id=scene.entity_id,
                    version_id=version.pk,
                    line_id=line_id,
                    position=position,
                )
            )
        self.written.add("scene_versions", version.pk)
        self._decide(scene, draft, "created" if number == 1 else "updated", number)

    def _line(self, scene: Scene, line: NewLine) -> UUID:
        row = Line(
            id=new_id(),
            workspace_id=scene.workspace_id,
            entity_id=scene.entity_id,
            scene=scene,
            section=line.section,
            text=line.text,
            run=self.claim.run,
        )
        self._lines.append(row)
        self.written.add("lines", row.pk)
        self.placed.update(line.atoms)
        self._evidence.extend(
            Evidence(
                workspace_id=scene.workspace_id,
                entity_id=scene.entity_id,
                of_line_id=row.pk,
                atom_id=atom_id,
                run=self.claim.run,
            )
            for atom_id in line.atoms
        )
        return row.pk

    def _decide(self, scene: Scene, draft: Draft, outcome: str, number: int) -> None:
        self.written.decisions.append(
            {
                "outcome": outcome,
                "scene": str(scene.pk),
                "version": number,
                "title": draft.title,
                "reason": draft.reason,
            }
        )
        self.written.decisions.extend(draft.run_notes)


def _note_left_out(written: Written, atoms: Sequence[Atom], placed: Collection[UUID]) -> None:
    """Say which atoms got no line: they stand as claims, and the run tells why no scene names them."""
    for atom in atoms:
        if atom.pk in placed:
            continue
        is_live = atom.status == Atom.Status.LIVE
        written.decisions.append(
            {
                "outcome": "left out" if is_live else "passed over",
                "reason": "no new line names it" if is_live else f"{atom.status} before it was placed",
                "atoms": [str(atom.pk)],
            }
        )
