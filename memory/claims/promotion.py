"""promotion: claims, and atoms that say how two things are related, become edges of the graph.

Every atom that comes or changes stands in a queue that the database fills. The step reads it in batches and
writes the edges that these atoms have now; no model is asked. The graph depends on the atoms and the policies
alone, not on the order in which they came or on how often this runs.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError, close_old_connections, transaction
from django.db.models import Max, Min
from django.db.models.functions import Now

from memory import queries
from memory.cascade import engine, work
from memory.cascade.stage import Question, Verdict, Written
from memory.cascade.stages import stage_of
from memory.cascade.waking import Waiting
from memory.cascade.work import Claim
from memory.claims.graph_writing import project_atoms
from memory.models import Entity, GraphEdge, GraphNode, Run, Step, Unpromoted

BATCH_ROWS = 500
PAUSE_SECONDS = 5.0
"""Between two looks of a worker that runs by itself."""
MOST_BATCHES = 10_000
"""Of one entity in one go: more than a memory holds."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PromotionBatch:
    """Rows of the queue, and the atoms they name."""

    rows: tuple[int, ...]
    atoms: tuple[UUID, ...]
    questions: tuple[Question[Any], ...] = ()

    @property
    def size(self) -> int:
        """Atoms that a split could separate."""
        return max(1, len(self.atoms))

    @property
    def input_ids(self) -> Mapping[str, Sequence[UUID]]:
        """For the run."""
        return {"atoms": self.atoms}


class Promotion:
    """L1 → graph."""

    step = Step.PROMOTION
    upstream: tuple[Step, ...] = (Step.L1_EXTRACT,)
    downstream: tuple[Step, ...] = ()

    def waiting(self, entity: Entity) -> Waiting | None:
        """Since when atoms wait that came or changed."""
        queued = Unpromoted.objects.for_entity(entity).pending()
        times = queued.aggregate(first=Min("queued_at"), last=Max("queued_at"))
        return Waiting(**times) if times["first"] else None

    def full_size(self, claim: Claim) -> int:
        """Rows in a batch that nothing limits."""
        return BATCH_ROWS

    def read(self, claim: Claim) -> PromotionBatch | None:
        """The rows that have waited longest. The atoms themselves are read when they are written."""
        size = min(BATCH_ROWS, claim.batch_limit or BATCH_ROWS)
        queued = Unpromoted.objects.for_entity(claim.entity).pending().order_by("id")
        rows = list(queued.values_list("id", "atom_id")[:size])
        if not rows:
            return None
        return PromotionBatch(tuple(row for row, _ in rows), tuple(dict.fromkeys(atom for _, atom in rows)))

    def write(self, claim: Claim, batch: PromotionBatch, verdicts: Sequence[Verdict[Any]]) -> Written:
        """Edges and nodes as the atoms are now; the rows that were read leave the queue.

        What changes after this transaction has read it is queued anew.
        """
        projected = project_atoms(claim.entity, batch.atoms)
        Unpromoted.objects.for_entity(claim.entity).filter(pk__in=batch.rows).delete()
        written = Written()
        for edge in projected.written:
            written.add("graph_edges", edge)
        written.decisions.append(
            {
                "outcome": "projected",
                "written": len(projected.written),
                "removed": len(projected.removed),
                "unchanged": projected.unchanged,
                "left_out": projected.left_out,
            }
        )
        return written

    def park(self, claim: Claim, batch: PromotionBatch) -> None:
        """Set the rows aside for a person."""
        self._park(claim, batch.rows)

    def park_next(self, claim: Claim) -> Mapping[str, Sequence[UUID]]:
        """Set the next row aside."""
        queued = Unpromoted.objects.for_entity(claim.entity).pending().order_by("id")
        rows = list(queued.values_list("id", "atom_id")[:1])
        self._park(claim, [row for row, _ in rows])
        return {"atoms": [atom for _, atom in rows]}

    def _park(self, claim: Claim, rows: Sequence[int]) -> None:
        Unpromoted.objects.filter(pk__in=rows).update(parked_at=Now(), parked_by=claim.run)


@dataclass(frozen=True, slots=True)
class Promoted:
    """What one look did."""

    entities: int = 0
    """Whose atoms were promoted."""
    atoms: int = 0
    edges_written: int = 0
    edges_removed: int = 0
    failed: int = 0
    """Runs that failed; what they read waits, and `Run` says why."""
    waiting: int = 0
    """Atoms that still wait: of a failed run, of a paused step, or in another worker's hands."""

    def plus(self, other: Promoted) -> Promoted:
        """Both together."""
        names = self.__dataclass_fields__
        return Promoted(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclass(frozen=True, slots=True)
class PromotionWorker:
    """Promotes what waits: of one entity, or of all. Any number of them may run at once, on any machines."""

    entity: Entity | None = None
    progress: Callable[[Entity, Promoted], object] = field(default=lambda entity, done: None)
    """Told after every batch."""
    most_batches: int = MOST_BATCHES
    """Of one entity in one look; what is left then is counted as waiting."""

    def run_once(self) -> Promoted:
        """Promote everything that waits now, whether it is due yet or not. Must not run in a transaction."""
        done = Promoted()
        for entity in self._entities():
            done = done.plus(self._promote(entity))
        return done

    def run(self, stop: threading.Event, *, pause_seconds: float = PAUSE_SECONDS) -> None:
        """Look again and again until `stop` is set. While the database does not answer, it is waited for."""
        while not stop.is_set():
            try:
                done = self.run_once()
                if done.atoms or done.failed:
                    logger.info("promotion: %s", done)
            except (OperationalError, InterfaceError) as error:
                logger.warning("promotion waits for the database: %s", error)
            finally:
                close_old_connections()
            stop.wait(pause_seconds)

    def _entities(self) -> Iterator[Entity]:
        if self.entity is not None:
            yield self.entity
            return
        queued = Unpromoted.objects.pending().filter(entity__shadow_of__isnull=True)
        waiting = queued.order_by().values_list("entity_id", flat=True).distinct()
        for entity_id in list(waiting):
            found = Entity.objects.select_related("workspace").filter(pk=entity_id).first()
            if found is not None:
                yield found

    def _promote(self, entity: Entity) -> Promoted:
        done = Promoted()
        for _ in range(self.most_batches):
            run = engine.run_now(entity=entity, stage=stage_of(Step.PROMOTION))
            if run is None:
                break
            done = done.plus(_counted(run))
            self.progress(entity, done)
            if run.status == Run.Status.FAILED:
                break
        left = Unpromoted.objects.for_entity(entity).values("atom_id").distinct().count()
        return Promoted(
            int(done.atoms > 0), done.atoms, done.edges_written, done.edges_removed, done.failed, left
        )


def _counted(run: Run) -> Promoted:
    if run.status != Run.Status.SUCCEEDED:
        return Promoted(failed=int(run.status == Run.Status.FAILED))
    projected: dict[str, int] = next(
        (note for note in run.decisions if note.get("outcome") == "projected"), {}
    )
    return Promoted(
        atoms=len(run.inputs.get("atoms", ())),
        edges_written=projected.get("written", 0),
        edges_removed=projected.get("removed", 0),
    )


def rebuild_graph(
    entity: Entity, *, progress: Callable[[Entity, Promoted], object] = lambda entity, done: None
) -> Promoted:
    """Drop the entity's graph and project it anew from all of its atoms: it is the same graph.

    Killed in between, whoever promotes next goes on. Must not run in a transaction.
    """
    with transaction.atomic(durable=True):
        Entity.objects.select_for_update(no_key=True).get(pk=entity.pk, workspace_id=entity.workspace_id)
        GraphEdge.objects.for_entity(entity).delete()
        GraphNode.objects.for_entity(entity).delete()
        queries.run("graph_queue_all", workspace=entity.workspace_id, entity=entity.pk)
        work.mark_due(workspace_id=entity.workspace_id, entity_id=entity.pk, step=Step.PROMOTION)
    return PromotionWorker(entity, progress=progress).run_once()
