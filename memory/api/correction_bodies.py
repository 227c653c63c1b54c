"""Corrections, and what they left, as JSON values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from memory.api.list_bodies import atom_value
from memory.cascade.rules.difference import Change, LineChange
from memory.models import Atom, Correction, Entity, SceneVersion, TraitVersion
from memory.recall.atoms import atom_record, with_receipts
from memory.stewardship.scene_edits import ScenePreview, markdown_of
from memory.stewardship.scene_heads import read_version


def atom_body(entity: Entity, atom: Atom, correction: Correction | None) -> dict[str, Any]:
    """A claim as it is after a correction."""
    row = with_receipts(Atom.objects.for_entity(entity)).get(pk=atom.pk)
    return {
        "entity": entity.name,
        "atom": atom_value(atom_record(row)),
        "correction": correction and correction_value(correction),
    }


def scenes_body(entity: Entity, heads: Iterable[SceneVersion]) -> dict[str, Any]:
    """The body of `/scenes`."""
    return {"entity": entity.name, "scenes": [_scene_value(head) for head in heads]}


def _scene_value(version: SceneVersion) -> dict[str, Any]:
    scene = version.scene
    return {
        "id": scene.pk,
        "slug": scene.slug,
        "status": scene.status,
        "heat": scene.heat,
        "title": version.title,
        "summary": version.summary,
        "number": version.number,
    }


def traits_body(entity: Entity, heads: Iterable[TraitVersion]) -> dict[str, Any]:
    """The body of `/traits`."""
    return {"entity": entity.name, "traits": [_trait_value(head) for head in heads]}


def _trait_value(version: TraitVersion) -> dict[str, Any]:
    trait = version.trait
    told = {"id": trait.pk, "slot": trait.slot, "status": trait.status}
    return {**told, "text": version.text, "number": version.number}


def scene_body(entity: Entity, version: SceneVersion) -> dict[str, Any]:
    """A version of a scene with its lines, and as the Markdown that a person edits."""
    head = read_version(version)
    return {
        "entity": entity.name,
        "scene": _scene_value(version),
        "version": {
            "id": version.pk,
            "number": version.number,
            "is_head": version.is_head,
            "title": version.title,
            "summary": version.summary,
            "created_at": version.created_at,
            "lines": [
                {
                    "id": line.pk,
                    "section": line.section,
                    "text": line.text,
                    "is_pinned": line.is_pinned,
                    "is_due": head.is_due(line),
                    "atoms": head.atoms[line.pk],
                }
                for line in head.lines
            ],
            "markdown": markdown_of(head),
        },
        "correction": version.correction and correction_value(version.correction),
    }


def preview_body(entity: Entity, preview: ScenePreview) -> dict[str, Any]:
    """What an edit would do."""
    changes = preview.difference.changes
    return {
        "entity": entity.name,
        "base": preview.base,
        "title": preview.title,
        "summary": preview.summary,
        "lines": [asdict(line) for line in preview.lines],
        "repairs": preview.repairs,
        "changes": [_change_value(change) for change in changes if change.change is not Change.UNCHANGED],
        "problems": preview.problems,
    }


def _change_value(change: LineChange) -> dict[str, Any]:
    named = change.after or change.before
    return {
        "change": change.change,
        "section": named.section if named else "",
        "before": change.before.text if change.before else None,
        "after": change.after.text if change.after else None,
    }


def trait_body(entity: Entity, version: TraitVersion) -> dict[str, Any]:
    """A trait as it is after a correction."""
    return {
        "entity": entity.name,
        "trait": _trait_value(version),
        "correction": version.correction and correction_value(version.correction),
    }


def correction_body(entity: Entity, correction: Correction) -> dict[str, Any]:
    """A correction that made no version."""
    return {"entity": entity.name, "correction": correction_value(correction)}


def correction_value(correction: Correction) -> dict[str, Any]:
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
