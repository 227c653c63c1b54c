"""Live values: fetched at the moment they are needed, from where they are kept, and never part of memory.

`fetch_live` is called while a context is compiled, outside of any transaction. It never raises for a source's
sake: what cannot be had is said to be unavailable, with the reason and when it was known last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from memory.claims.live_asking import LiveClaim, call_for
from memory.claims.live_running import RUNNER, Call, Runner
from memory.claims.values import claim_text
from memory.llm.guard import refuse_inside_transaction
from memory.models import Atom, Entity, LiveSource, LiveValue

ERROR_CACHE_SECONDS = 5
"""A source that fails is left alone so long."""
MOST_FETCHED = 32
"""Claims that are fetched for at once; more than that are not asked for in one context."""
ERROR_LIMIT = 300
NO_SOURCE = "is no source of this workspace"
TOO_MANY = f"was not asked: more than {MOST_FETCHED} claims at once"


@dataclass(frozen=True, slots=True)
class LiveFact:
    """What a source says of a claim now, or why it says nothing."""

    atom_id: UUID
    subject_kind: str
    subject_id: str
    predicate: str
    source: str
    text: str
    """The claim with its value, or with the reason why there is none."""
    value: Any = None
    reason: str = ""
    """Empty when the value is there."""
    fetched_at: datetime | None = None
    known_at: datetime | None = None
    """When the source gave a value last."""
    is_cached: bool = False

    @property
    def is_available(self) -> bool:
        """Whether there is a value."""
        return not self.reason


def fetch_live(
    entity: Entity,
    claims: Sequence[LiveClaim],
    *,
    most_seconds: float | None = None,
    runner: Runner = RUNNER,
) -> list[LiveFact]:
    """What the sources of the claims say, in the order of those atoms that have one.

    All sources are asked at once, each within its own time limit and `most_seconds`; it takes as long as the
    slowest of these. Without a live claim no statement is made, else two, and three to keep what was fetched.
    """
    wanted = [claim for claim in claims if claim.live_source]
    if not wanted:
        return []
    reading = _Reading.of(entity, wanted)
    stale = [claim for claim in wanted if not reading.is_fresh(claim)]
    if stale:
        refuse_inside_transaction()
        reading.fetch(stale, most_seconds, runner)
    return [_fact(claim, reading.values[claim.id], reading.fetched) for claim in wanted]


@dataclass(slots=True)
class _Reading:
    """The sources, and what they said before and now."""

    entity: Entity
    now: datetime
    sources: Mapping[str, LiveSource]
    values: dict[UUID, LiveValue]
    fetched: set[UUID] = field(default_factory=set)
    """Claims whose value, or the lack of it, is not out of the cache."""

    @classmethod
    def of(cls, entity: Entity, claims: Sequence[LiveClaim]) -> _Reading:
        names = {claim.live_source for claim in claims}
        sources = LiveSource.objects.filter(workspace_id=entity.workspace_id, name__in=names)
        values = LiveValue.objects.for_entity(entity).filter(atom__in=[claim.id for claim in claims])
        return cls(
            entity=entity,
            now=timezone.now(),
            sources={source.name: source for source in sources},
            values={value.atom_id: value for value in values},
        )

    def is_fresh(self, claim: LiveClaim) -> bool:
        value = self.values.get(claim.id)
        return value is not None and value.expires_at > self.now and claim.live_source in self.sources

    def fetch(self, claims: Sequence[LiveClaim], most_seconds: float | None, runner: Runner) -> None:
        """Ask for all of them at once and keep what was said."""
        answers: dict[UUID, tuple[Any, str]] = {}
        calls: dict[UUID, Call] = {}
        for claim in claims:
            source = self.sources.get(claim.live_source)
            if source is None:
                answers[claim.id] = (None, NO_SOURCE)
            elif len(calls) == MOST_FETCHED:
                answers[claim.id] = (None, TOO_MANY)
            else:
                calls[claim.id] = call_for(self.entity, claim, source, most_seconds)
        answers |= zip(calls, runner.run(list(calls.values())), strict=True)
        self.values |= {claim.id: self._said(claim, *answers[claim.id]) for claim in claims}
        self.fetched |= answers.keys()
        _keep(self.entity, [self.values[atom_id] for atom_id in calls])

    def _said(self, claim: LiveClaim, value: Any, error: str) -> LiveValue:
        now = timezone.now()
        source, before = self.sources.get(claim.live_source), self.values.get(claim.id)
        seconds = ERROR_CACHE_SECONDS if error or source is None else source.cache_seconds
        known_before = before.known_at if before is not None else None
        return LiveValue(
            workspace_id=self.entity.workspace_id,
            entity=self.entity,
            atom_id=claim.id,
            value=value,
            error=error[:ERROR_LIMIT],
            fetched_at=now,
            known_at=known_before if error else now,
            expires_at=now + timedelta(seconds=seconds),
        )


def _keep(entity: Entity, values: Sequence[LiveValue]) -> None:
    """Keep what was said for as long as the sources allow; an erased claim keeps nothing."""
    rows = Atom.objects.for_entity(entity).filter(pk__in=[value.atom_id for value in values])
    standing = set(rows.values_list("pk", flat=True))
    try:
        with transaction.atomic():
            LiveValue.objects.bulk_create(
                [value for value in values if value.atom_id in standing],
                update_conflicts=True,
                unique_fields=["atom"],
                update_fields=["value", "error", "fetched_at", "known_at", "expires_at"],
            )
    except IntegrityError:
        # Erased between the two statements: the next context fetches again.
        return


def _fact(claim: LiveClaim, said: LiveValue, fetched: set[UUID]) -> LiveFact:
    names = {"kind": claim.subject_kind, "identifier": claim.subject_id, "predicate": claim.predicate}
    return LiveFact(
        atom_id=claim.id,
        subject_kind=claim.subject_kind,
        subject_id=claim.subject_id,
        predicate=claim.predicate,
        source=claim.live_source,
        text=_unavailable(claim, said) if said.error else claim_text(**names, value=said.value),
        value=said.value,
        reason=said.error,
        fetched_at=said.fetched_at,
        known_at=said.known_at,
        is_cached=claim.id not in fetched,
    )


def _unavailable(claim: LiveClaim, said: LiveValue) -> str:
    last = f", known last at {said.known_at:%Y-%m-%d %H:%M} UTC" if said.known_at is not None else ""
    head = f"{claim.subject_kind} {claim.subject_id} {claim.predicate}"
    return f"{head}: unavailable: {claim.live_source} {said.error}{last}"
