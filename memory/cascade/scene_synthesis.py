"""scene_synthesis: atoms become lines of scenes. `scene_judging` and `scene_writing` do the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Min
from django.db.models.functions import Now

from memory import queries
from memory.cascade.contract import SceneEdit, SynthesisAnswer, SynthesisPayload
from memory.cascade.designs import Design, design_of_run
from memory.cascade.offering import offer_atom, offer_scene, topics_of
from memory.cascade.rules.handles import Handles
from memory.cascade.rules.relevance import NEAR, relevance
from memory.cascade.scene_edits import Edited
from memory.cascade.scene_judging import SynthesisJudge
from memory.cascade.scene_respect import SceneRespect
from memory.cascade.scene_state import ScenesState, read_scenes
from memory.cascade.scene_writing import write_synthesis
from memory.cascade.showing import show_atoms, show_scenes
from memory.cascade.showing_lines import concerning, listed, shortened
from memory.cascade.stage import Question, StaleInputsError, Verdict, Written
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.models import Atom, Entity, Step
from memory.recall.terms import terms_of

PASSED_LIMIT = 500


@dataclass(frozen=True, slots=True)
class SynthesisBatch:
    """Atoms to place, the scenes as they stand, and what is only to be marked as seen."""

    atoms: tuple[Atom, ...]
    passed: tuple[Atom, ...]
    """Superseded, contested or retracted before they were placed: nothing may rest on them."""
    state: ScenesState
    full: tuple[UUID, ...]
    """The scenes shown with their lines."""
    questions: tuple[Question[Edited], ...] = ()

    @property
    def size(self) -> int:
        """Atoms that a split could separate; a due scene alone counts as one."""
        return max(1, len(self.atoms))

    @property
    def input_ids(self) -> Mapping[str, Sequence[UUID]]:
        """For the run."""
        return {
            "atoms": [atom.pk for atom in self.atoms],
            "passed": [atom.pk for atom in self.passed],
            "scene_versions": [self.state.scene(scene_id).head_id for scene_id in self.full],
        }


class Synthesis:
    """L1 → L2."""

    step = Step.SCENE_SYNTHESIS
    upstream: tuple[Step, ...] = (Step.L1_EXTRACT,)
    downstream: tuple[Step, ...] = (Step.PERSONA,)

    def waiting(self, entity: Entity) -> Waiting | None:
        """Since when atoms wait for a place, or a live line rests on a dead atom."""
        times = (
            Atom.objects.for_entity(entity)
            .pending()
            .aggregate(first=Min("created_at"), last=Max("created_at"))
        )
        if times["first"]:
            return Waiting(**times)
        due = queries.rows("due_lines", workspace=entity.workspace_id, entity=entity.pk)
        return Waiting(*due[0]) if due else None

    def full_size(self, claim: Claim) -> int:
        """Atoms in a batch that nothing limits."""
        return design_of_run(claim.run).limits.scene_batch_atoms

    def read(self, claim: Claim) -> SynthesisBatch | None:
        """The oldest unplaced atoms, as many as belong to the scenes that can be shown in full."""
        design = design_of_run(claim.run)
        state = read_scenes(claim.entity)
        pending = list(Atom.objects.for_entity(claim.entity).pending().in_event_order()[:PASSED_LIMIT])
        live = [atom for atom in pending if atom.status == Atom.Status.LIVE]
        passed = tuple(atom for atom in pending if atom.status != Atom.Status.LIVE)
        size = min(design.limits.scene_batch_atoms, claim.batch_limit or design.limits.scene_batch_atoms)
        atoms, full = _cut(live[:size], state, design.limits.full_scenes)
        if not (atoms or passed or full):
            return None
        batch = SynthesisBatch(tuple(atoms), passed, state, full)
        if not (atoms or any(state.scene(scene_id).is_due for scene_id in full)):
            return batch
        question = _question(claim.entity, batch, design)
        return SynthesisBatch(batch.atoms, passed, state, full, (question,))

    def write(self, claim: Claim, batch: SynthesisBatch, verdicts: Sequence[Verdict[Edited]]) -> Written:
        """Versions, lines and receipts; see `scene_writing`."""
        edits = [edit for verdict in verdicts for edit in verdict.taken]
        return write_synthesis(
            claim,
            atoms=(*batch.atoms, *batch.passed),
            state=batch.state,
            full=batch.full,
            edits=edits,
        )

    def park(self, claim: Claim, batch: SynthesisBatch) -> None:
        """Set the atoms aside for a person, and take out the due lines that no model would rewrite.

        Otherwise a scene that no model can bear would fail every batch that has to show it. What was
        superseded before it was placed waits for the next run: one that failed has read nothing.
        """
        Atom.objects.filter(pk__in=[atom.pk for atom in batch.atoms]).update(
            parked_at=Now(), parked_by=claim.run
        )
        # A head that moved meanwhile is read again by the next run.
        with suppress(StaleInputsError), transaction.atomic():
            write_synthesis(claim, atoms=(), state=batch.state, full=batch.full, edits=())

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """Set the next atom aside."""
        ids = [atom.pk for atom in Atom.objects.for_entity(claim.entity).pending().in_event_order()[:1]]
        Atom.objects.filter(pk__in=ids).update(parked_at=Now(), parked_by=claim.run)
        return {"atoms": ids}


def _cut(atoms: Sequence[Atom], state: ScenesState, most: int) -> tuple[list[Atom], tuple[UUID, ...]]:
    """Atoms in order for as long as their nearest scenes fit; scenes with due lines come first.

    Places that are left go to scenes that share words with the atoms: what is shown in full can be rewritten.
    """
    full = [scene.id for scene in state.scenes if scene.is_due][:most]
    nearest = _Neighbourhood(state)
    taken: list[Atom] = []
    for atom in atoms:
        near = nearest.of(atom)
        if near is not None and near not in full:
            if len(full) == most:
                break
            full.append(near)
        taken.append(atom)
    others = [scene_id for scene_id in nearest.around(taken) if scene_id not in full]
    return taken, (*full, *others[: most - len(full)])


class _Neighbourhood:
    """Which scene an atom is nearest to, by words."""

    def __init__(self, state: ScenesState) -> None:
        self._scenes = [
            (
                scene.id,
                topics,
                frozenset(terms_of(scene.title)),
                _terms(topics),
                frozenset(terms_of(scene.summary)),
            )
            for scene in state.scenes
            for topics in [tuple(topics_of(state.atoms[atom_id] for atom_id in scene.atoms))]
        ]

    def of(self, atom: Atom) -> UUID | None:
        """The nearest scene, None when none is near."""
        # Equal scores go to the scene that was there first: slot order.
        score, scene_id = max(self._scored(atom), key=lambda pair: pair[0], default=(0.0, None))
        return scene_id if score >= NEAR else None

    def around(self, atoms: Sequence[Atom]) -> list[UUID]:
        """Scenes that share at least a word with some of the atoms, the nearest first."""
        best: dict[UUID, float] = {}
        for atom in atoms:
            for score, scene_id in self._scored(atom):
                best[scene_id] = max(score, best.get(scene_id, 0.0))
        return sorted((scene_id for scene_id in best if best[scene_id] > 0), key=lambda found: -best[found])

    def _scored(self, atom: Atom) -> list[tuple[float, UUID]]:
        return [
            (
                relevance(
                    topic=atom.topic,
                    terms=atom.terms,
                    scene_topics=topics,
                    title_terms=title,
                    topic_terms=topic_terms,
                    summary_terms=summary,
                ),
                scene_id,
            )
            for scene_id, topics, title, topic_terms, summary in self._scenes
        ]


def _terms(topics: Sequence[str]) -> frozenset[str]:
    return frozenset(term for topic in topics for term in terms_of(topic))


def _question(entity: Entity, batch: SynthesisBatch, design: Design) -> Question[Edited]:
    handles = Handles()
    before = _predecessors(entity, batch.atoms)
    payload = _payload(entity, batch, before, design, handles)
    judge = SynthesisJudge(
        handles=handles,
        state=batch.state,
        full=frozenset(batch.full),
        atoms={**batch.state.atoms, **before, **{atom.pk: atom for atom in batch.atoms}},
        limits=design.limits,
        markers=design.example_markers,
        zone=entity.zone,
        respect=SceneRespect.read(entity, batch.state),
    )
    is_wanted = concerning(atom.text for atom in batch.atoms)
    shown = [shortened(scene, design.limits.scene_shown_characters, is_wanted) for scene in payload.scenes]
    return Question(
        payload=payload,
        values={
            "entity": entity.name,
            "time_zone": entity.time_zone,
            "scene_cap": str(design.limits.scene_cap),
            "target": str(design.limits.scene_target_characters),
            "atoms": show_atoms(listed(payload.atoms, shown)),
            "scenes": show_scenes(shown),
        },
        answer_schema=SynthesisAnswer,
        item_schema=SceneEdit,
        judge=judge.judge,
    )


def _payload(
    entity: Entity, batch: SynthesisBatch, before: Mapping[UUID, Atom], design: Design, handles: Handles
) -> SynthesisPayload:
    shown = [
        batch.state.atoms[atom_id] for scene_id in batch.full for atom_id in batch.state.scene(scene_id).atoms
    ]
    new = {atom.pk for atom in batch.atoms}
    others = {atom.pk: atom for atom in (*before.values(), *shown) if atom.pk not in new}
    offered = [
        offer_atom(handles, entity, atom, supersedes=_texts_before(atom, before), is_new=True)
        for atom in batch.atoms
    ]
    offered += [offer_atom(handles, entity, atom) for atom in others.values()]
    scenes = tuple(
        offer_scene(handles, scene, atoms=batch.state.atoms, is_full=scene.id in batch.full)
        for scene in batch.state.scenes
    )
    return SynthesisPayload(
        entity=entity.name,
        time_zone=entity.time_zone,
        atoms=tuple(offered),
        scenes=scenes,
        scene_cap=design.limits.scene_cap,
    )


def _predecessors(entity: Entity, atoms: Sequence[Atom]) -> dict[UUID, Atom]:
    """What stood before the atoms to place, the newest first."""
    merged = [atom.chain_id for atom in atoms if atom.decision == Atom.Decision.MERGE]
    rows = Atom.objects.for_entity(entity).filter(chain_id__in=merged, status=Atom.Status.SUPERSEDED)
    return {atom.pk: atom for atom in rows.order_by("-last_seen_at", "-seq")} if merged else {}


def _texts_before(atom: Atom, before: Mapping[UUID, Atom]) -> list[str]:
    return [row.text for row in before.values() if row.chain_id == atom.chain_id]
