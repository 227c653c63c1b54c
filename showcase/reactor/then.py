"""How the four layers stood at a stage, told from when rows were made, replaced and ended.

What came and went more than once (a claim that a person took back and restored) is told by its last end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, OuterRef, Q, When
from django.db.models.functions import Coalesce

from memory.models import Atom, Correction, Entity, Message, Scene, SceneVersion, Trait, TraitVersion
from memory.recall.atoms import with_receipts
from showcase.demonstration import count_of
from showcase.reactor.stages import Replay, Stage

Kind = Correction.Kind
ENDINGS = (Kind.ATOM_RETRACTED, Kind.SCENE_RETIRED, Kind.SCENES_MERGED, Kind.TRAIT_RETRACTED)
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
    def made(self) -> Q:
        """Rows that were there."""
        return Q(created_at__lte=self.at) | Q(run_id=self.run) if self.at else Q(pk__in=())

    def said(self, batch: Collection[UUID]) -> Q:
        """Messages that were there; those that are being read were, in any case."""
        recorded = Q(recorded_at__lte=self.heard) if self.heard else Q()
        return recorded | Q(pk__in=list(batch)) if recorded else Q(pk__in=())


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


def totals_at(entity: Entity, cut: Cut, later: EndedLater, batch: Collection[UUID]) -> Totals:
    """The figures of a stage; one statement."""
    atoms, messages = Atom.objects.filter(cut.made), Message.objects.all()
    counted: Any = Entity.objects.annotate(
        said_count=count_of(messages.filter(cut.said(batch))),
        made_count=count_of(atoms),
        held_count=count_of(atoms.filter(_held(cut, later))),
        version_count=count_of(SceneVersion.objects.filter(cut.made)),
        waiting_count=count_of(messages.pending()),
    ).get(pk=entity.pk)
    return Totals(
        messages=counted.said_count,
        atoms=counted.held_count,
        superseded=counted.made_count - counted.held_count,
        versions=counted.version_count,
        waiting=counted.waiting_count,
    )


def _held(cut: Cut, later: EndedLater) -> Q:
    """Atoms that held at the cut."""
    event = Coalesce("occurred_at", "created_at")
    own_event = Coalesce(OuterRef("occurred_at"), OuterRef("created_at"))
    mates = Atom.objects.filter(cut.made, chain=OuterRef("chain")).annotate(event=event)
    replaced = Exists(mates.filter(Q(pk=OuterRef("superseded_by")) | Q(event__gt=own_event)))
    was_replaced_later = Q(status=Atom.Status.SUPERSEDED, superseded_by__isnull=False) & ~replaced
    was_taken_back_later = Q(status=Atom.Status.RETRACTED, pk__in=list(later.atoms))
    return Q(status=Atom.Status.LIVE) | was_replaced_later | was_taken_back_later


def messages_at(entity: Entity, cut: Cut, batch: Collection[UUID]) -> list[Message]:
    """What is being read and what was said just before, session by session; one statement."""
    rows = Message.objects.for_entity(entity)
    before = rows.filter(cut.said(batch)).exclude(pk__in=list(batch)).order_by("-seq")[:MESSAGES_BEFORE]
    found = rows.filter(Q(pk__in=list(batch)[:MESSAGES_NEW]) | Q(pk__in=before.values("pk")))
    return sorted(
        found.select_related("session"), key=lambda one: (one.session.created_at, one.session_id, one.ordinal)
    )


def atoms_at(entity: Entity, cut: Cut, later: EndedLater, wanted: Collection[UUID]) -> list[Atom]:
    """The newest that held, and whatever else is wanted; one statement.

    Each knows whether it held (`holds_then`).
    """
    held = _held(cut, later)
    rows = Atom.objects.for_entity(entity).filter(cut.made).filter(held)
    newest = rows.order_by("-seq").values("pk")[:ATOMS_SHOWN]
    told = with_receipts(Atom.objects.for_entity(entity).filter(Q(pk__in=newest) | Q(pk__in=list(wanted))))
    return list(
        told.defer("terms").annotate(holds_then=Case(When(held, then=True), default=False)).order_by("seq")
    )


def scenes_at(entity: Entity, cut: Cut, wanted: Collection[UUID]) -> list[SceneVersion]:
    """The newest version of each scene by then, and whatever else is wanted, by scene and number.

    Each knows how many lines it has (`line_count`). One statement.
    """
    rows = SceneVersion.objects.for_entity(entity)
    newer = SceneVersion.objects.filter(cut.made, scene=OuterRef("scene"), number__gt=OuterRef("number"))
    newest = rows.filter(cut.made).filter(~Exists(newer)).values("pk")
    found = rows.filter(Q(pk__in=newest) | Q(pk__in=list(wanted))).select_related("scene")
    return list(found.annotate(line_count=Count("places")).order_by("scene__created_at", "scene", "number"))


def stood_scenes(versions: Iterable[SceneVersion], cut: Cut, later: EndedLater) -> list[SceneVersion]:
    """Of those the ones that were current."""
    newest = {row.scene_id: row for row in versions if _is_made(row, cut)}
    is_live = {Scene.Status.LIVE.value}
    return [
        row for row in newest.values() if row.scene.status in is_live or str(row.scene_id) in later.scenes
    ]


def traits_at(entity: Entity, cut: Cut, wanted: Collection[UUID]) -> list[TraitVersion]:
    """The newest wording of each slot by then, and whatever else is wanted, by slot and number.

    One statement.
    """
    rows = TraitVersion.objects.for_entity(entity)
    newer = TraitVersion.objects.filter(cut.made, trait=OuterRef("trait"), number__gt=OuterRef("number"))
    newest = rows.filter(cut.made).filter(~Exists(newer)).values("pk")
    found = rows.filter(Q(pk__in=newest) | Q(pk__in=list(wanted))).select_related("trait")
    return list(found.order_by("trait__slot", "number"))


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
