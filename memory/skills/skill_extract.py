"""skill_extract: traces and feedback become drafts of procedures, for a person to review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.db.models import Max, Min
from django.db.models.functions import Now

from memory.cascade.designs import design_of_run
from memory.cascade.stage import Verdict, Written
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.models import Entity, SkillInput, Step
from memory.skills.extract_asking import draft_question
from memory.skills.extract_reading import SkillBatch, sort_inputs, waiting_inputs
from memory.skills.extract_taking import Taken
from memory.skills.extract_writing import write_drafts


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
        return design_of_run(claim.run).limits.skill_inputs

    def read(self, claim: Claim) -> SkillBatch | None:
        """What has waited longest, sorted by procedure, with one question for each that it touches."""
        design = design_of_run(claim.run)
        size = min(self.full_size(claim), claim.batch_limit or self.full_size(claim))
        inputs = waiting_inputs(claim.entity, size)
        if not inputs:
            return None
        batch = sort_inputs(claim.entity, inputs, most_traces=design.limits.skill_traces)
        questions = tuple(draft_question(claim.entity, group, design) for group in batch.groups)
        return replace(batch, questions=questions)

    def write(self, claim: Claim, batch: SkillBatch, verdicts: Sequence[Verdict[Taken]]) -> Written:
        """Drafts with their evidence; see `extract_writing`."""
        return write_drafts(claim, batch, verdicts)

    def park(self, claim: Claim, batch: SkillBatch) -> None:
        """Set the inputs aside for a person."""
        _park(claim, batch.inputs)

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """Set the next input aside."""
        inputs = waiting_inputs(claim.entity, 1)
        _park(claim, inputs)
        return SkillBatch(inputs).input_ids


def _park(claim: Claim, inputs: Sequence[SkillInput]) -> None:
    ids = [row.pk for row in inputs]
    SkillInput.objects.for_entity(claim.entity).filter(pk__in=ids).update(
        parked_at=Now(), parked_by=claim.run
    )
