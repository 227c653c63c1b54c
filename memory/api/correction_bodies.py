"""Corrections, and what they left, as JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.list_bodies import AtomBody, atom_value
from memory.api.scene_bodies import SceneVersionBody, version_value
from memory.cascade.rules.difference import Change, LineChange
from memory.models import Atom, Correction, Entity, SceneVersion, TraitVersion
from memory.recall.atoms import atom_record, with_receipts
from memory.recall.scene_reading import SceneSummary, scene_summary
from memory.stewardship.scene_edits import PreviewLine, ScenePreview


class CorrectionBody(TypedDict):
    """Who changed what, and why."""

    id: UUID
    kind: str
    reason: str
    by: str
    created_at: datetime
    before: Any
    after: Any


class CorrectedAtomBody(TypedDict):
    """A claim as it is after a correction."""

    entity: str
    atom: AtomBody
    correction: CorrectionBody | None
    """Null when nothing was left to change."""


class SceneBody(TypedDict):
    """A scene in one of its versions."""

    entity: str
    scene: SceneSummary
    version: SceneVersionBody
    correction: CorrectionBody | None
    """The person's change that made the version; null for one of the cascade."""


class LineChangeBody(TypedDict):
    """A line that an edit would change."""

    change: Change
    section: str
    before: str | None
    after: str | None


class PreviewBody(TypedDict):
    """What an edit would do."""

    entity: str
    base: int
    title: str
    summary: str
    lines: tuple[PreviewLine, ...]
    repairs: tuple[str, ...]
    """What was not in the usual form, and how it was read."""
    changes: list[LineChangeBody]
    problems: tuple[str, ...]
    """Why it cannot be saved; empty when it can."""


class TraitBody(TypedDict):
    """A slot of the persona."""

    id: UUID
    slot: str
    status: str
    text: str
    number: int
    """Of the version."""


class TraitsBody(TypedDict):
    """The persona's slots with their last wording."""

    entity: str
    traits: list[TraitBody]


class CorrectedTraitBody(TypedDict):
    """A trait as it is after a correction."""

    entity: str
    trait: TraitBody
    correction: CorrectionBody | None


class MadeCorrectionBody(TypedDict):
    """A correction that made no version."""

    entity: str
    correction: CorrectionBody


def atom_body(entity: Entity, atom: Atom, correction: Correction | None) -> CorrectedAtomBody:
    """A claim as it is after a correction."""
    row = with_receipts(Atom.objects.for_entity(entity)).get(pk=atom.pk)
    return {
        "entity": entity.name,
        "atom": atom_value(atom_record(row)),
        "correction": correction_value(correction) if correction else None,
    }


def traits_body(entity: Entity, heads: Iterable[TraitVersion]) -> TraitsBody:
    """The body of `/traits`."""
    return {"entity": entity.name, "traits": [_trait_value(head) for head in heads]}


def _trait_value(version: TraitVersion) -> TraitBody:
    trait = version.trait
    return {
        "id": trait.pk,
        "slot": trait.slot,
        "status": trait.status,
        "text": version.text,
        "number": version.number,
    }


def scene_body(entity: Entity, version: SceneVersion) -> SceneBody:
    """A version of a scene with its lines, and as the Markdown that a person edits."""
    return {
        "entity": entity.name,
        "scene": scene_summary(version),
        "version": version_value(entity, version),
        "correction": correction_value(version.correction) if version.correction else None,
    }


def preview_body(entity: Entity, preview: ScenePreview) -> PreviewBody:
    """What an edit would do."""
    changes = preview.difference.changes
    return {
        "entity": entity.name,
        "base": preview.base,
        "title": preview.title,
        "summary": preview.summary,
        "lines": preview.lines,
        "repairs": preview.repairs,
        "changes": [_change_value(change) for change in changes if change.change is not Change.UNCHANGED],
        "problems": preview.problems,
    }


def _change_value(change: LineChange) -> LineChangeBody:
    named = change.after or change.before
    return {
        "change": change.change,
        "section": named.section if named else "",
        "before": change.before.text if change.before else None,
        "after": change.after.text if change.after else None,
    }


def trait_body(entity: Entity, version: TraitVersion) -> CorrectedTraitBody:
    """A trait as it is after a correction."""
    return {
        "entity": entity.name,
        "trait": _trait_value(version),
        "correction": correction_value(version.correction) if version.correction else None,
    }


def correction_body(entity: Entity, correction: Correction) -> MadeCorrectionBody:
    """A correction that made no version."""
    return {"entity": entity.name, "correction": correction_value(correction)}


def correction_value(correction: Correction) -> CorrectionBody:
    """Who changed what, and why."""
    return {
        "id": correction.pk,
        "kind": correction.kind,
        "reason": correction.reason,
        "by": str(correction.user or correction.key or correction.by),
        "created_at": correction.created_at,
        "before": correction.before,
        "after": correction.after,
    }
