"""Which procedures are for some words, by what their active versions and drafts say of themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from uuid import UUID

from memory.indexing.languages import known_languages
from memory.models import Entity, ProcedureLine, ProcedureVersion
from memory.models.skills import ProcedureSection
from memory.skills.matching import Request, Triggers

MOST_HELD = 1_000
"""Versions that are held against the words: the newest."""
TRIGGERS = (ProcedureSection.WHEN, ProcedureSection.WHEN_NOT)


def fitting_procedures(entity: Entity, words: str) -> frozenset[UUID]:
    """The procedures of which the active version or the draft is for these words; three statements."""
    request = Request(words, known_languages(entity))
    current = ProcedureVersion.objects.for_entity(entity).filter(
        status__in=[ProcedureVersion.Status.ACTIVE, ProcedureVersion.Status.DRAFT]
    )
    held = list(current.only("procedure", "title").order_by("-pk")[:MOST_HELD])
    texts = _trigger_texts(entity, [version.pk for version in held])

    def is_for_it(version: ProcedureVersion) -> bool:
        when, when_not = (tuple(texts[version.pk, section]) for section in TRIGGERS)
        return request.fit(Triggers(version.title, when, when_not)).verdict == "fits"

    return frozenset(version.procedure_id for version in held if is_for_it(version))


def _trigger_texts(entity: Entity, versions: Iterable[UUID]) -> dict[tuple[UUID, str], list[str]]:
    """When to use a version, and when not to, by version and section."""
    lines = ProcedureLine.objects.for_entity(entity).filter(
        version__in=list(versions), section__in=TRIGGERS, erased_at__isnull=True
    )
    found: dict[tuple[UUID, str], list[str]] = defaultdict(list)
    for version, section, text in lines.order_by("position").values_list("version_id", "section", "text"):
        found[version, section].append(text)
    return found
