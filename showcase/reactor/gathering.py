"""All rows that a stage needs, read in a fixed number of statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.fixed_queries import FixedQuery, one_of
from memory.models import Atom, Evidence, Message, Run, SceneVersion, TraitVersion, VersionLine
from showcase.access import Scope
from showcase.parts import Receipt
from showcase.reactor import then
from showcase.reactor.stages import Replay, Stage
from showcase.reactor.then import Cut, Totals
from showcase.receipts import Ends, receipt_of

IDS_READ = 200
"""So many ids of a kind are looked up of what a run names; a batch is far smaller."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The rows behind a stage."""

    scope: Scope
    stage: Stage
    run: Run | None
    """The run of the stage; none where words come in."""
    cut: Cut
    totals: Totals
    batch: tuple[UUID, ...]
    """The newest words of the wave."""
    fresh: frozenset[UUID]
    """Those of them that no earlier run had read."""
    messages: Mapping[UUID, Message]
    atoms: Mapping[UUID, Atom]
    versions: Mapping[UUID, SceneVersion]
    scenes: tuple[SceneVersion, ...]
    """The versions that were current."""
    wordings: Mapping[UUID, TraitVersion]
    traits: tuple[TraitVersion, ...]
    """The wordings that were current."""
    places: Mapping[tuple[UUID, int], Sequence[VersionLine]]
    """The lines of written versions and of those before them, by scene and number."""
    receipts: Mapping[UUID, tuple[Receipt, ...]]
    """What written rows rested on then."""


def gather(scope: Scope, replay: Replay, stage: Stage) -> Gathered:
    """Read what a stage shows, in at most nine statements."""
    entity, cut = scope.entity, then.cut_of(replay, stage)
    heard = replay.heard_at(stage)
    runs = _runs(scope, [mark.id for mark in (stage.run, heard) if mark])
    run = runs.get(stage.run.id) if stage.run and stage.layer != "L0" else None
    batch = ids(runs[heard.id].inputs, "messages") if heard and heard.id in runs else ()
    later = then.ended_later(entity, replay, stage, cut)
    atoms = then.atoms_at(entity, cut, later, named(run, "atoms"))
    versions = then.scenes_at(entity, cut, named(run, "scene_versions"))
    wordings = then.traits_at(entity, cut, named(run, "trait_versions"))
    return Gathered(
        scope=scope,
        stage=stage,
        run=run,
        cut=cut,
        totals=then.totals_at(entity, cut, later, batch),
        batch=batch,
        fresh=frozenset(id for id in batch if str(id) not in heard.again) if heard else frozenset(),
        messages={row.pk: row for row in then.messages_at(entity, cut, batch)},
        atoms={row.pk: row for row in atoms},
        versions={row.pk: row for row in versions},
        scenes=tuple(then.stood_scenes(versions, cut, later)),
        wordings={row.pk: row for row in wordings},
        traits=tuple(then.stood_traits(wordings, cut, later, replay)),
        places=_places([row for row in versions if run and row.run_id == run.pk]),
        receipts=_receipts(scope, cut, run),
    )


def ids(recorded: Any, kind: str) -> tuple[UUID, ...]:
    """The ids of a kind in what a run noted of its inputs or outputs."""
    return tuple(UUID(id) for id in recorded.get(kind, ())[:IDS_READ])


def named(run: Run | None, kind: str) -> set[UUID]:
    """Every id of a kind that a run names: what it read, wrote and decided about."""
    if run is None:
        return set()
    noted = (id for note in run.decisions for key in (kind, "replaced") for id in note.get(key, ()))
    decided = {UUID(id) for id in noted} if kind == "atoms" else set()
    return {*ids(run.inputs, kind), *ids(run.outputs, kind), *decided}


def _runs(scope: Scope, wanted: Collection[UUID]) -> Mapping[UUID, Run]:
    rows = Run.objects.for_entity(scope.entity).defer("raw_answer", "error_text")
    return rows.in_bulk(list(wanted)) if wanted else {}


def _places(written: Sequence[SceneVersion]) -> Mapping[tuple[UUID, int], Sequence[VersionLine]]:
    wanted = Q()
    for row in written:
        wanted |= Q(version__scene=row.scene_id, version__number__in=(row.number, row.number - 1))
    found: dict[tuple[UUID, int], list[VersionLine]] = defaultdict(list)
    if written:
        rows = VersionLine.objects.filter(wanted, line__erased_at=None).select_related("line", "version")
        for place in rows.order_by("position"):
            found[place.version.scene_id, place.version.number].append(place)
    return found


def _evidence(
    *, workspace: UUID, entity: UUID, at: datetime, run: UUID, written: list[UUID]
) -> QuerySet[Evidence, Any]:
    owners = one_of("of_atom", written) | one_of("of_line", written) | one_of("of_trait_version", written)
    rows = Evidence.objects.filter(workspace=workspace, entity=entity)
    given = rows.filter(owners).filter(then.made(at=at, run=run)).order_by("pk")
    return given.values_list(*Ends._fields)


_EVIDENCE = FixedQuery(_evidence, workspace=UUID, entity=UUID, at=datetime, run=UUID, written=list[UUID])


def _receipts(scope: Scope, cut: Cut, run: Run | None) -> Mapping[UUID, tuple[Receipt, ...]]:
    """Receipts of what the run wrote, as far as they were given by then; one statement."""
    if run is None:
        return {}
    written = list(_outputs(run, ("atoms", "lines", "trait_versions")))
    owner_ids = {"workspace": scope.entity.workspace_id, "entity": scope.entity.pk}
    found: dict[UUID, list[Receipt]] = defaultdict(list)
    for row in map(Ends._make, _EVIDENCE.rows(**owner_ids, **cut.values, written=written)):
        if row.owner is not None:
            found[row.owner].append(receipt_of(scope, row))
    return {owner: tuple(receipts) for owner, receipts in found.items()}


def _outputs(run: Run, kinds: Iterable[str]) -> Iterable[UUID]:
    return (UUID(id) for kind in kinds for id in run.outputs.get(kind, ()))
