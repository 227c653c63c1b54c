"""What a line or a wording rests on, with its words beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory.models import Atom
from memory.recall.persona_reading import TraitEvidence
from memory.recall.scene_reading import LineEvidence
from showcase.access import Scope
from showcase.links import record_url
from showcase.parts import Receipt


@dataclass(frozen=True, slots=True)
class Ground:
    """One thing that something rests on."""

    receipt: Receipt
    text: str
    state: str = ""
    """Said when it no longer holds."""
    is_same: bool = False
    """It says the very same words, which need not be read twice."""


def grounds_of_line(scope: Scope, text: str, evidence: Iterable[LineEvidence]) -> tuple[Ground, ...]:
    """The claims under a line, or the change of the person who wrote it."""
    return tuple(
        Ground(
            Receipt(one.kind, one.id, record_url(scope, one.kind, one.id)),
            one.text,
            "" if one.status in ("", Atom.Status.LIVE) else one.status,
            is_same=one.text == text,
        )
        for one in evidence
    )


def grounds_of_wording(scope: Scope, text: str, evidence: Iterable[TraitEvidence]) -> tuple[Ground, ...]:
    """The lines that a wording was drawn from; one whose words were erased says so."""
    return tuple(
        Ground(
            Receipt(one.kind, one.id, record_url(scope, one.kind, one.id)),
            one.text,
            "" if one.text else "erased",
            is_same=bool(one.text) and one.text == text,
        )
        for one in evidence
    )
