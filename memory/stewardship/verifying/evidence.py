"""Nothing derived stands without evidence, and no receipt leaves its entity."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q

from memory.models import (
    Atom,
    Digest,
    Evidence,
    Line,
    ProcedureLine,
    Scene,
    TraitVersion,
)
from memory.models.evidence import DERIVED, TARGETS
from memory.stewardship.verifying.checks import Check, Rows, RowsCheck, StatementCheck


def _without_receipt(rows: Rows, link: str) -> Rows:
    return rows.exclude(Exists(Evidence.objects.filter(**{link: OuterRef("pk")})))


def _atoms() -> Rows:
    return _without_receipt(Atom.objects.all(), "of_atom")


def _lines() -> Rows:
    return _without_receipt(Line.objects.filter(erased_at__isnull=True), "of_line")


def _trait_versions() -> Rows:
    return _without_receipt(TraitVersion.objects.filter(erased_at__isnull=True), "of_trait_version")


def _procedure_lines() -> Rows:
    return _without_receipt(ProcedureLine.objects.filter(erased_at__isnull=True), "of_procedure_line")


def _digests() -> Rows:
    return _without_receipt(Digest.objects.all(), "of_digest")


def _foreign_evidence() -> Rows:
    """Receipts whose derived row or target lies in another entity."""
    elsewhere = Q()
    for end in (*DERIVED, *TARGETS):
        elsewhere |= Q(**{f"{end}__isnull": False}) & ~Q(**{f"{end}__entity_id": F("entity_id")})
    return Evidence.objects.filter(elsewhere)


def _erased_lines() -> Rows:
    """Live scenes let go of a line at once when its words are erased."""
    return Line.objects.filter(
        erased_at__isnull=False,
        places__version__is_head=True,
        places__version__scene__status=Scene.Status.LIVE,
    )


def _erased_traits() -> Rows:
    return TraitVersion.objects.live().filter(erased_at__isnull=False)


def _traits_on_erased_lines() -> Rows:
    """Live traits for which nothing speaks but lines whose words were erased."""
    receipts = Evidence.objects.filter(of_trait_version=OuterRef("pk"))
    speaking = receipts.filter(
        Q(line__erased_at__isnull=True, line__isnull=False) | Q(correction__isnull=False)
    )
    return TraitVersion.objects.live().filter(Exists(receipts)).exclude(Exists(speaking))


CHECKS: tuple[Check, ...] = (
    RowsCheck("atom_without_evidence", "rests on nothing", _atoms),
    RowsCheck("line_without_evidence", "rests on nothing", _lines),
    RowsCheck("trait_version_without_evidence", "rests on nothing", _trait_versions),
    RowsCheck("digest_without_evidence", "rests on nothing", _digests),
    StatementCheck("folded_without_receipt", "is covered, but no receipt", "verify_folded"),
    RowsCheck("procedure_line_without_evidence", "rests on nothing", _procedure_lines),
    RowsCheck("foreign_evidence", "a receipt that crosses an entity", _foreign_evidence),
    RowsCheck("erased_line_stands", "its words were erased, but a live scene holds it", _erased_lines),
    RowsCheck("erased_trait_stands", "its words were erased, but it is live", _erased_traits),
    RowsCheck("trait_on_erased_lines", "rests on erased words alone", _traits_on_erased_lines),
)
