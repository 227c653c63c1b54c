"""What some messages did to memory, layer by layer, read from the rows they led to.

Each run consumed certain inputs and names itself in what it wrote, so the way from words to traits is
exact: no clock and no sequence number is compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from django.db.models import Count, Prefetch

from memory.models import Atom, Entity, Evidence, Message, Run, SceneVersion, Session, Step, TraitVersion
from memory.recall.atoms import atom_record, with_receipts
from memory.recall.decisions import read_drops, read_skips
from memory.recall.ladder import trait_record
from memory.recall.records import AtomRecord, Changes, Merge, ParkedInput, Skip, TraitRecord
from memory.recall.scene_changes import scene_changes

PARKED_TEXT_SHOWN = 200
UNKNOWN_ERROR = "no error was recorded"


def changes_of(entity: Entity, messages: Collection[UUID]) -> Changes:
    """What the given messages of one entity led to so far, and why the steps that ran wrote nothing."""
    said = list(Message.objects.for_entity(entity).filter(pk__in=messages).order_by("seq"))
    extracts = _consumers(said)
    atoms = list(with_receipts(Atom.objects.for_entity(entity).filter(run_id__in=extracts)).order_by("seq"))
    syntheses = _consumers(atoms)
    versions = _versions(entity, syntheses)
    personas = _consumers(versions)
    sessions = list(Session.objects.for_entity(entity).parked().filter(messages__in=messages).distinct())
    runs = _runs(entity, said, atoms, versions, sessions)
    merged = _merges(entity, atoms)
    merged_ids = {merge.new.id for merge in merged}
    return Changes(
        messages=len(said),
        stored=tuple(atom_record(atom) for atom in atoms if atom.pk not in merged_ids),
        merged=merged,
        skipped=_skips(entity, said, [runs[id] for id in extracts if id in runs]),
        dropped=read_drops(runs[id] for id in extracts if id in runs),
        parked=_parked(runs, said, atoms, versions, sessions),
        scenes=scene_changes(versions),
        traits=_traits(entity, personas),
        reasons=_reasons(runs, extracts | syntheses | personas),
    )


def _consumers(rows: Iterable[Message | Atom | SceneVersion]) -> set[UUID]:
    return {row.consumed_by_id for row in rows if row.consumed_by_id}


def _versions(entity: Entity, runs: Collection[UUID]) -> list[SceneVersion]:
    found = SceneVersion.objects.for_entity(entity).filter(run_id__in=runs)
    return list(found.select_related("scene").order_by("seq"))


def _runs(entity: Entity, *layers: Sequence[Message | Atom | SceneVersion | Session]) -> dict[UUID, Run]:
    """Every run that consumed or parked one of the rows."""
    rows = [row for layer in layers for row in layer]
    ids = {id for row in rows for id in (row.consumed_by_id, row.parked_by_id) if id}
    return Run.objects.for_entity(entity).in_bulk(ids)


def _merges(entity: Entity, atoms: Sequence[Atom]) -> tuple[Merge, ...]:
    """Merges of the new atoms that took another one's place; what they replaced is read in one statement."""
    merging = {atom.pk: atom for atom in atoms if atom.decision == Atom.Decision.MERGE}
    replaced: dict[UUID, list[AtomRecord]] = {id: [] for id in merging}
    old = with_receipts(Atom.objects.for_entity(entity).filter(superseded_by__in=merging)).order_by("seq")
    for atom in old:
        replaced[atom.superseded_by_id].append(atom_record(atom))  # type: ignore[index]  # filtered by it
    return tuple(
        Merge(new=atom_record(atom), old=tuple(replaced[id]), reason=atom.merge_reason)
        for id, atom in merging.items()
    )


def _skips(entity: Entity, said: Sequence[Message], runs: Sequence[Run]) -> tuple[Skip, ...]:
    """Repeats among the messages, each with the reason that its run gave."""
    ids = {message.pk for message in said}
    repeats = Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity=entity, message__in=ids, role=Evidence.Role.REPEAT
    )
    atoms = Prefetch("of_atom", with_receipts(Atom.objects.for_entity(entity)))
    reasons = read_skips(runs)
    return tuple(
        Skip(
            text=receipt.of_atom.text,
            reason=reasons.get(receipt.of_atom.pk, "memory holds it already"),
            atom=receipt.of_atom.pk,
            receipts=atom_record(receipt.of_atom).receipts,
        )
        for receipt in repeats.prefetch_related(atoms).order_by("id")
        if receipt.of_atom
    )


def _parked(
    runs: dict[UUID, Run],
    said: Sequence[Message],
    atoms: Sequence[Atom],
    versions: Sequence[SceneVersion],
    sessions: Sequence[Session],
) -> tuple[ParkedInput, ...]:
    layers: tuple[tuple[Step, Sequence[Message | Atom | SceneVersion | Session]], ...] = (
        (Step.L1_EXTRACT, said),
        (Step.SCENE_SYNTHESIS, atoms),
        (Step.PERSONA, versions),
        (Step.COMPACTION, sessions),
    )
    return tuple(
        ParkedInput(
            step=str(step), id=row.pk, text=_shown(row), error=_error(runs.get(row.parked_by_id or row.pk))
        )
        for step, rows in layers
        for row in rows
        if row.parked_at and not row.consumed_by_id
    )


def _shown(row: Message | Atom | SceneVersion | Session) -> str:
    if isinstance(row, Session):
        return (row.title or row.external_id)[:PARKED_TEXT_SHOWN]
    text = row.title if isinstance(row, SceneVersion) else row.text
    return text[:PARKED_TEXT_SHOWN]


def _error(run: Run | None) -> str:
    if run is None or not run.error_kind:
        return UNKNOWN_ERROR
    return f"{run.error_kind}: {run.error_text}" if run.error_text else run.error_kind


def _traits(entity: Entity, runs: Collection[UUID]) -> tuple[TraitRecord, ...]:
    found = TraitVersion.objects.for_entity(entity).filter(run_id__in=runs).select_related("trait")
    return tuple(trait_record(row) for row in found.annotate(receipts=Count("evidence")).order_by("seq"))


def _reasons(runs: dict[UUID, Run], wanted: Collection[UUID]) -> dict[str, str]:
    """The newest no-op reason of each step."""
    ordered = sorted((runs[id] for id in wanted if id in runs), key=lambda run: run.started_at)
    return {run.step: run.noop_reason for run in ordered if run.noop_reason}
