"""skill_extract: traces and feedback become drafts of procedures, for a person to review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Max, Min
from django.db.models.functions import Now

from memory.cascade.designs import design_of_run
from memory.cascade.stage import Verdict, Written
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.models import Entity, SkillInput, Step


class SkillExtraction:
    """Traces and feedback → drafts."""

    step = Step.SKILL_EXTRACT
    upstream: tuple[Step, ...] = ()
    downstream: tuple[Step, ...] = ()

    def waiting(self, entity: Entity) -> Waiting | None:
        """Since when traces and feedback wait."""
        queued = SkillInput.objects.for_entity(entity).pending()
        times = queued.aggregate(first=Min("queued_at"), last=Max("queued_at"))
        return Waiting(**times) if times["first"] else None

    def full_size(self, claim: Claim) -> int:
        """Inputs in a batch that nothing limits."""
        return design_of_run(claim.run).limits.batch_messages

    def read(self, claim: Claim) -> Any:
        """Nothing yet."""
        return None

    def write(self, claim: Claim, batch: Any, verdicts: Sequence[Verdict[Any]]) -> Written:
        """Nothing yet."""
        return Written()

    def park(self, claim: Claim, batch: Any) -> None:
        """Nothing yet."""

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """Set the next input aside."""
        queued = SkillInput.objects.for_entity(claim.entity).pending().order_by("id")
        ids = list(queued.values_list("pk", flat=True)[:1])
        SkillInput.objects.filter(pk__in=ids).update(parked_at=Now(), parked_by=claim.run)
        return {}
