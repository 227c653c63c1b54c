"""compaction: the oldest turns of a long session become its summary, an ended session leaves a brief."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db.models import Max, Min
from django.db.models.functions import Coalesce, Now

from memory.cascade.compaction_reading import CompactionBatch, next_session, read_batch
from memory.cascade.compaction_writing import write_digest
from memory.cascade.designs import design_of_run
from memory.cascade.stage import Verdict, Written
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.ingest.folding import wake_compaction_on_commit
from memory.ingest.problems import IngestConflict, Problem
from memory.models import Entity, Session, Step


class Compaction:
    """L0 → digests."""

    step = Step.COMPACTION
    upstream: tuple[Step, ...] = ()
    downstream: tuple[Step, ...] = ()

    def waiting(self, entity: Entity) -> Waiting | None:
        """Since when sessions wait to be folded or to be closed with a brief."""
        asked = Coalesce("fold_asked_at", "ended_at")
        times = Session.objects.for_entity(entity).pending().aggregate(first=Min(asked), last=Max(asked))
        return Waiting(**times) if times["first"] else None

    def full_size(self, claim: Claim) -> int:
        """Turns of one session in a batch that nothing limits."""
        return design_of_run(claim.run).limits.fold_turns

    def read(self, claim: Claim) -> CompactionBatch | None:
        """The turns of the next session that go into its summary, or all that is left for its brief."""
        session = next_session(claim.entity)
        if session is None:
            return None
        return read_batch(claim.entity, session, design_of_run(claim.run), most_groups=claim.batch_limit)

    def write(self, claim: Claim, batch: CompactionBatch, verdicts: Sequence[Verdict[str]]) -> Written:
        """The next version with its evidence; see `compaction_writing`."""
        return write_digest(claim, batch, verdicts)

    def park(self, claim: Claim, batch: CompactionBatch) -> None:
        """Set the session aside for a person; its turns go on being stored."""
        _park(claim, [batch.session.pk])

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """Set the next session aside."""
        session = next_session(claim.entity)
        ids = [] if session is None else [session.pk]
        _park(claim, ids)
        return {"sessions": ids}


def _park(claim: Claim, ids: Sequence[UUID]) -> None:
    Session.objects.for_entity(claim.entity).filter(pk__in=ids).update(parked_at=Now(), parked_by=claim.run)


def ask_compaction(session: Session) -> None:
    """Have the older turns of an open session folded soon, however few; asking again changes nothing.

    A session whose folding had failed is put back in line. Raises IngestConflict for one that has ended, or
    that no turn loop has opened.
    """
    waiting = Session.objects.for_workspace(session.workspace_id).filter(
        pk=session.pk, ended_at__isnull=True, takes_turns=True
    )
    asked = waiting.update(fold_asked_at=Coalesce("fold_asked_at", Now()), parked_at=None, parked_by=None)
    if not asked:
        raise IngestConflict([Problem(None, "session", "has ended, or was opened by no turn loop")])
    session.refresh_from_db(fields=["fold_asked_at", "parked_at", "parked_by"])
    wake_compaction_on_commit(session)
