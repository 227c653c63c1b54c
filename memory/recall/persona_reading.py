"""The history of traits: their wordings, each with its author and the lines it was drawn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal
from uuid import UUID

from django.db.models import Count, F, OuterRef, Subquery, Window
from django.db.models.functions import RowNumber

from memory.models import Entity, Evidence, Run, Trait, TraitVersion
from memory.recall.authors import Author, author_of, runs_of
from memory.recall.scene_reading import AUTHORS
from memory.recall.short_ids import short_id

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class TraitEvidence:
    """A line that a wording was drawn from, or the person's change that made it."""

    kind: Literal["line", "correction"]
    id: UUID
    short_id: str
    text: str
    """Empty where the words were erased."""
    section: str
    """Of the line; empty for a correction."""
    scene: UUID | None


@dataclass(frozen=True, slots=True)
class Wording:
    """What a trait said at a time."""

    id: UUID
    number: int
    is_head: bool
    text: str
    """Empty where the words were erased."""
    created_at: datetime
    author: Author
    evidence: tuple[TraitEvidence, ...]


@dataclass(frozen=True, slots=True)
class WordingsPage:
    """Wordings, newest first."""

    versions: tuple[Wording, ...]
    next_after: int | None
    """The number that it ended with; None on the last page."""


@dataclass(frozen=True, slots=True)
class TraitHistory:
    """A slot with its latest wordings, newest first."""

    id: UUID
    slot: str
    status: str
    total: int
    """How many wordings there are in all."""
    wordings: tuple[Wording, ...]

    @property
    def is_live(self) -> bool:
        """Whether the persona says it now."""
        return self.status == Trait.Status.LIVE


def list_wordings(
    entity: Entity, trait: UUID, *, after: int | None = None, limit: int = PAGE_SIZE
) -> WordingsPage:
    """A page of a trait's wordings, newest first, in three statements. ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError("A page holds at least one wording.")
    rows = TraitVersion.objects.for_entity(entity).filter(trait=trait).select_related(*AUTHORS)
    rest = rows if after is None else rows.filter(number__lt=after)
    found = list(rest.order_by("-number")[: limit + 1])
    shown = found[:limit]
    evidence = _evidence(entity, shown)
    runs = runs_of(entity, shown)
    return WordingsPage(
        tuple(_wording(version, evidence, runs) for version in shown),
        shown[-1].number if len(found) > limit else None,
    )


def list_traits(entity: Entity, *, limit: int = PAGE_SIZE) -> tuple[TraitHistory, ...]:
    """Every slot that ever said something, each with its latest wordings, in three statements.

    ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("A history holds at least one wording.")
    newest_first = Window(RowNumber(), partition_by=F("trait"), order_by=F("number").desc())
    rows = TraitVersion.objects.for_entity(entity).select_related("trait", *AUTHORS)
    counted = TraitVersion.objects.filter(trait=OuterRef("trait")).order_by().values("trait")
    total = Subquery(counted.annotate(total=Count("pk")).values("total"))
    latest = rows.annotate(age=newest_first, total=total).filter(age__lte=limit)
    found = list(latest.order_by("trait__slot", "-number"))
    evidence, runs = _evidence(entity, found), runs_of(entity, found)
    return tuple(
        _history(trait, list(versions), evidence, runs)
        for trait, versions in groupby(found, key=lambda version: version.trait)
    )


def _history(
    trait: Trait,
    versions: Sequence[TraitVersion],
    evidence: Mapping[UUID, list[TraitEvidence]],
    runs: Mapping[UUID, Run],
) -> TraitHistory:
    total: int = versions[0].total  # type: ignore[attr-defined]  # annotated above
    wordings = tuple(_wording(version, evidence, runs) for version in versions)
    return TraitHistory(trait.pk, trait.slot, trait.status, total, wordings)


def _wording(
    version: TraitVersion, evidence: Mapping[UUID, list[TraitEvidence]], runs: Mapping[UUID, Run]
) -> Wording:
    return Wording(
        id=version.pk,
        number=version.number,
        is_head=version.is_head,
        text=version.text,
        created_at=version.created_at,
        author=author_of(version, runs),
        evidence=tuple(evidence[version.pk]),
    )


def _evidence(entity: Entity, versions: Sequence[TraitVersion]) -> Mapping[UUID, list[TraitEvidence]]:
    rows = Evidence.objects.filter(
        workspace=entity.workspace_id,
        entity=entity,
        of_trait_version__in=[version.pk for version in versions],
    )
    found: dict[UUID, list[TraitEvidence]] = defaultdict(list)
    for row in rows.select_related("line", "correction").order_by("id"):
        if row.of_trait_version_id is not None:
            found[row.of_trait_version_id].append(_receipt(row))
    return found


def _receipt(row: Evidence) -> TraitEvidence:
    if row.line is not None:
        line = row.line
        return TraitEvidence("line", line.pk, short_id(line.pk), line.text, line.section, line.scene_id)
    assert row.correction is not None  # noqa: S101  # a trait rests on lines and corrections alone
    made = row.correction
    return TraitEvidence("correction", made.pk, short_id(made.pk), made.reason or made.kind, "", None)
