"""How the four layers stood at a stage, told from when rows were made, replaced and ended.

What came and went more than once (a claim that a person took back and restored) is told by its last end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce, JSONObject

from memory.fixed_queries import FixedQuery, one_of
from memory.models import Atom, Correction, Entity, Message, Scene, SceneVersion, Trait, TraitVersion
from memory.recall.atoms import with_receipts
from showcase.demonstration import count_of, of_outer
from showcase.reactor.stages import Replay, Stage

Kind = Correction.Kind
ENDINGS = (Kind.ATOM_RETRACTED, Kind.SCENE_RETIRED, Kind.SCENES_MERGED, Kind.TRAIT_RETRACTED)
BEGINNING, NOBODY = datetime.min.replace(tzinfo=UTC), UUID(int=0)
"""A moment at which nothing had been made, and a run that made nothing."""
MESSAGES_BEFORE = 6
"""So many of what was said before stand above what is new."""
MESSAGES_NEW = 200
ATOMS_SHOWN = 14


@dataclass(frozen=True, slots=True)
class Cut:
    """A moment of a replay: what had been made by then, and what is made just now."""

    at: datetime | None
    """The last commit; None before the first one."""
    run: UUID | None
    """The run of the stage: whatever the clocks of two machines say, its rows belong to it."""
    heard: datetime | None
    """Words that were there by then."""

    @property
    def values(self) -> dict[str, Any]:
        """What `made` is asked with."""
        return {"at": self.at or BEGINNING, "run": self.run or NOBODY}


def made(*, at: datetime, run: UUID) -> Q:
    """Rows that were there."""
    return Q(created_at__lte=at) | Q(run_id=run)


def said(*, heard: datetime, batch: Collection[UUID]) -> Q:
    """Messages that were there; those that are being read were, in any case."""
    return Q(recorded_at__lte=heard) | one_of("pk", batch)


@dataclass(frozen=True, slots=True)
class EndedLater:
    """Ids of what stood at a stage though it is over now."""

    atoms: frozenset[str]
    scenes: frozenset[str]
    traits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Totals:
    """How much stood on each layer."""

    messages: int
    atoms: int
    superseded: int
    versions: int
    waiting: int
    """Messages that no run has read by today."""


def cut_of(replay: Replay, stage: Stage) -> Cut:
    """The moment of a stage: of a run's own when it commits, of words when they are about to be read."""
    if stage.run is None:
        return Cut(None, None, None)
    before = replay.run_before(stage)
    heard = max(stage.run.started_at, before.at) if before else stage.run.started_at
    if stage.layer == "L0":
        return Cut(before.at, before.id, heard) if before else Cut(None, None, heard)
    return Cut(stage.run.at, stage.run.id, heard if stage.layer == "L1" else stage.run.at)


def ended_later(entity: Entity, replay: Replay, stage: Stage, cut: Cut) -> EndedLater:
    """What later runs and people ended; one statement."""
    later = list(replay.runs_after(stage))
    scenes = {scene for run in later for scene in run.scenes_ended}
    traits = {trait for run in later for trait in run.traits_retracted}
    atoms: set[str] = set()
    rows = Correction.objects.for_entity(entity).filter(kind__in=ENDINGS)
    for before, after in (rows.filter(created_at__gt=cut.at) if cut.at else rows).values_list(
        "before", "after"
    ):
        atoms |= set(before.get("atoms", ()))
        scenes |= {before[name] for name in ("scene", "other") if name in before}
        traits |= {after["trait"]} if "trait" in after else set()
    return EndedLater(frozenset(atoms), frozenset(scenes), frozenset(traits))


def _owned(entity: Entity) -> dict[str, UUID]:
    return {"workspace": entity.workspace_id, "entity": entity.pk}


def _totals(
    *, entity: UUID, at: datetime, run: UUID, heard: datetime, batch: list[UUID], retracted: list[UUID]
) -> QuerySet[Any, dict[str, Any]]:
    atoms, messages = Atom.objects.filter(made(at=at, run=run)), Message.objects.all()
    # Both from one look at the claims.
    held = Count("pk", filter=_held(at, run, retracted))
    claims = of_outer(atoms).values("entity").annotate(made=Count("pk"), held=held)
    counts = {
        "said": count_of(messages.filter(said(heard=heard, batch=batch))),
        "claims": Subquery(claims.values(counted=JSONObject(made="made", held="held"))),
        "versions": count_of(SceneVersion.objects.filter(made(at=at, run=run))),
        "waiting": count_of(messages.pending()),
    }
    rows: QuerySet[Any, Any] = Entity.objects.filter(pk=entity).annotate(**counts).values(*counts)
    return rows


_TOTALS = FixedQuery(
    _totals, entity=UUID, at=datetime, run=UUID, heard=datetime, batch=list[UUID], retracted=list[UUID]
)


def totals_at(entity: Entity, cut: Cut, later: EndedLater, batch: Collection[UUID]) -> Totals:
    """The figures of a stage; one statement."""
    if cut.heard is None:
        return Totals(0, 0, 0, 0, waiting=Message.objects.for_entity(entity).pending().count())
    [counted] = _TOTALS.rows(
        entity=entity.pk,
        **cut.values,
        heard=cut.heard,
        batch=list(batch),
        retracted=list(map(UUID, later.atoms)),
    )
    claims = counted["claims"] or {"made": 0, "held": 0}
    return Totals(
        messages=counted["said"],
        atoms=claims["held"],
        superseded=claims["made"] - claims["held"],
        versions=counted["versions"],
        waiting=counted["waiting"],
    )


def _held(at: datetime, run: UUID, retracted: Collection[UUID]) -> Q:
    """Atoms that held at the cut; those that were `retracted` later did."""
    event = Coalesce("occurred_at", "created_at")
    own_event = Coalesce(OuterRef("occurred_at"), OuterRef("created_at"))
    mates = Atom.objects.filter(made(at=at, run=run), chain=OuterRef("chain")).annotate(event=event)
    replaced = Exists(mates.filter(Q(pk=OuterRef("superseded_by")) | Q(event__gt=own_event)))
    was_replaced_later = Q(status=Atom.Status.SUPERSEDED, superseded_by__isnull=False) & ~replaced
    was_taken_back_later = Q(status=Atom.Status.RETRACTED) & one_of("pk", retracted)
    return Q(status=Atom.Status.LIVE) | was_replaced_later | was_taken_back_later


def _messages(
    *, workspace: UUID, entity: UUID, heard: datetime, batch: list[UUID], shown: list[UUID]
) -> QuerySet[Message]:
    rows = Message.objects.filter(workspace=workspace, entity=entity)
    before = rows.filter(recorded_at__lte=heard).exclude(one_of("pk", batch)).order_by("-seq")
    # As one list: an alternative to a list of ids would have all messages looked at.
    ids = before.values("pk")[:MESSAGES_BEFORE].union(rows.filter(one_of("pk", shown)).values("pk"), all=True)
    return rows.filter(pk__in=ids).select_related("session")


_MESSAGES = FixedQuery(
    _messages, workspace=UUID, entity=UUID, heard=datetime, batch=list[UUID], shown=list[UUID]
)


def messages_at(entity: Entity, cut: Cut, batch: Collection[UUID]) -> list[Message]:
    """What is being read and what was said just before, session by session; at most one statement."""
    if cut.heard is None:
        return []
    ids = list(batch)
    found = _MESSAGES.rows(**_owned(entity), heard=cut.heard, batch=ids, shown=ids[:MESSAGES_NEW])
    return sorted(found, key=lambda one: (one.session.created_at, one.session_id, one.ordinal))


def _atoms(
    *, workspace: UUID, entity: UUID, at: datetime, run: UUID, retracted: list[UUID], wanted: list[UUID]
) -> QuerySet[Atom]:
    held, rows = _held(at, run, retracted), Atom.objects.filter(workspace=workspace, entity=entity)
    newest = rows.filter(made(at=at, run=run)).filter(held).order_by("-seq").values("pk")[:ATOMS_SHOWN]
    ids = newest.union(rows.filter(one_of("pk", wanted)).values("pk"), all=True)
    told = with_receipts(rows.filter(pk__in=ids)).defer("terms")
    return told.annotate(holds_then=Case(When(held, then=True), default=False)).order_by("seq")


_ATOMS = FixedQuery(
    _atoms, workspace=UUID, entity=UUID, at=datetime, run=UUID, retracted=list[UUID], wanted=list[UUID]
)


def atoms_at(entity: Entity, cut: Cut, later: EndedLater, wanted: Collection[UUID]) -> list[Atom]:
    """The newest that held, and whatever else is wanted; at most one statement.

    Each knows whether it held (`holds_then`).
    """
    if cut.at is None and not wanted:
        return []
    retracted = list(map(UUID, later.atoms))
    return _ATOMS.rows(**_owned(entity), **cut.values, retracted=retracted, wanted=list(wanted))


def _scenes(
    *, workspace: UUID, entity: UUID, at: datetime, run: UUID, wanted: list[UUID]
) -> QuerySet[SceneVersion]:
    rows, then = SceneVersion.objects.filter(workspace=workspace, entity=entity), made(at=at, run=run)
    newer = SceneVersion.objects.filter(then, scene=OuterRef("scene"), number__gt=OuterRef("number"))
    newest = rows.filter(then).filter(~Exists(newer)).values("pk")
    found = rows.filter(Q(pk__in=newest) | one_of("pk", wanted)).select_related("scene")
    return found.annotate(line_count=Count("places")).order_by("scene__created_at", "scene", "number")


_SCENES = FixedQuery(_scenes, workspace=UUID, entity=UUID, at=datetime, run=UUID, wanted=list[UUID])


def scenes_at(entity: Entity, cut: Cut, wanted: Collection[UUID]) -> list[SceneVersion]:
    """The newest version of each scene by then, and whatever else is wanted, by scene and number.

    Each knows how many lines it has (`line_count`). One statement.
    """
    return _SCENES.rows(**_owned(entity), **cut.values, wanted=list(wanted))


def stood_scenes(versions: Iterable[SceneVersion], cut: Cut, later: EndedLater) -> list[SceneVersion]:
    """Of those the ones that were current."""
    newest = {row.scene_id: row for row in versions if _is_made(row, cut)}
    is_live = {Scene.Status.LIVE.value}
    return [
        row for row in newest.values() if row.scene.status in is_live or str(row.scene_id) in later.scenes
    ]


def _traits(
    *, workspace: UUID, entity: UUID, at: datetime, run: UUID, wanted: list[UUID]
) -> QuerySet[TraitVersion]:
    rows, then = TraitVersion.objects.filter(workspace=workspace, entity=entity), made(at=at, run=run)
    newer = TraitVersion.objects.filter(then, trait=OuterRef("trait"), number__gt=OuterRef("number"))
    newest = rows.filter(then).filter(~Exists(newer)).values("pk")
    found = rows.filter(Q(pk__in=newest) | one_of("pk", wanted)).select_related("trait")
    return found.order_by("trait__slot", "number")


_TRAITS = FixedQuery(_traits, workspace=UUID, entity=UUID, at=datetime, run=UUID, wanted=list[UUID])


def traits_at(entity: Entity, cut: Cut, wanted: Collection[UUID]) -> list[TraitVersion]:
    """The newest wording of each slot by then, and whatever else is wanted, by slot and number.

    One statement.
    """
    return _TRAITS.rows(**_owned(entity), **cut.values, wanted=list(wanted))


def stood_traits(
    versions: Iterable[TraitVersion], cut: Cut, later: EndedLater, replay: Replay
) -> list[TraitVersion]:
    """Of those the ones that were current: neither retracted for good nor, at that time, until set again."""
    newest = {row.trait_id: row for row in versions if _is_made(row, cut)}
    return [row for row in newest.values() if _stands(row, cut, later, replay)]


def _stands(row: TraitVersion, cut: Cut, later: EndedLater, replay: Replay) -> bool:
    id = str(row.trait_id)
    marks = (stage.run for stage in replay.stages if stage.run and stage.layer == "L3")
    ends = [mark.at for mark in marks if id in mark.traits_retracted and cut.at and mark.at <= cut.at]
    if any(end > row.created_at for end in ends):
        return False
    return row.trait.status == Trait.Status.LIVE or id in later.traits


def _is_made(row: SceneVersion | TraitVersion, cut: Cut) -> bool:
    return cut.at is not None and (row.created_at <= cut.at or row.run_id == cut.run)
