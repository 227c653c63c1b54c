"""The four layers as they stand: counts, scenes, memories, persona, and what was said."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from uuid import UUID

from django.db.models import Count, DurationField, Exists, ExpressionWrapper, F, Max, OuterRef, Q
from django.db.models.functions import Now

from memory.cascade.work import parked_counts, pending_counts
from memory.models import (
    Atom,
    Entity,
    Evidence,
    Line,
    Message,
    Process,
    Scene,
    SceneVersion,
    Section,
    Step,
    TraitVersion,
    VersionLine,
)
from memory.recall.atoms import atom_record, with_receipts
from memory.recall.record_counts import NOTHING, record_counts
from memory.recall.records import (
    AtomRecord,
    LadderStatus,
    LineRecord,
    MessageRecord,
    SceneRecord,
    SectionRecord,
    TraitRecord,
)

SECTION_ORDER = {section: position for position, section in enumerate(Section.values)}


def status(entity: Entity) -> LadderStatus:
    """How much stands on each layer, what waits, what is parked, and when a worker was last seen."""
    counts = record_counts(entity.workspace_id, [entity.pk]).get(entity.pk, NOTHING)
    scenes = SceneVersion.objects.for_entity(entity).aggregate(
        live=Count("id", filter=Q(is_head=True, scene__status=Scene.Status.LIVE)), all=Count("id")
    )
    return LadderStatus(
        entity=entity.name,
        messages=counts.messages,
        atoms_live=counts.atoms_live,
        atoms_all=counts.atoms_all,
        scenes_live=scenes["live"],
        scene_versions=scenes["all"],
        traits=TraitVersion.objects.for_entity(entity).live().count(),
        # The graph follows a while later by itself: that is no work which somebody waits for.
        pending={
            str(step): count for step, count in pending_counts(entity).items() if step != Step.PROMOTION
        },
        parked={str(step): count for step, count in parked_counts(entity).items()},
        worker_seen_seconds=worker_seen_seconds(),
    )


def worker_seen_seconds() -> float | None:
    """Age of the newest sign of life of any worker, by the database's clock; None when there is none."""
    age = ExpressionWrapper(Now() - Max("seen_at"), output_field=DurationField())
    seen = Process.objects.filter(kind=Process.Kind.WORKER).aggregate(age=age)["age"]
    return None if seen is None else max(0.0, seen.total_seconds())


def scenes(entity: Entity) -> tuple[SceneRecord, ...]:
    """Live scenes in slot order.

    A line that rests on an atom which no longer holds is left out and counted as due, except in the
    Evolution Record, where old values belong.
    """
    heads = list(SceneVersion.objects.for_entity(entity).live().select_related("scene"))
    places = _standing_lines(head.pk for head in heads)
    return tuple(_scene_record(head, places.get(head.pk, [])) for head in heads)


def standing_places(versions: Iterable[UUID]) -> list[VersionLine]:
    """The standing lines of versions in their order, each with its line; what is due is left out."""
    return [place for places in _standing_lines(versions).values() for place in places if not is_due(place)]


def _standing_lines(versions: Iterable[UUID]) -> dict[UUID, list[VersionLine]]:
    """The lines of versions in order, each annotated with `is_due`."""
    dead = Evidence.objects.filter(of_line=OuterRef("line")).exclude(atom=None)
    found = (
        VersionLine.objects.filter(version__in=list(versions), line__erased_at=None)
        .annotate(rests_on_dead=Exists(dead.exclude(atom__status=Atom.Status.LIVE)))
        .select_related("line")
        .order_by("version", "position")
    )
    return {version: list(places) for version, places in groupby(found, key=lambda place: place.version_id)}


def is_due(place: VersionLine) -> bool:
    """Whether a line (annotated with `rests_on_dead`) waits to be rewritten; a pinned one stays as it is."""
    rests_on_dead: bool = place.rests_on_dead  # type: ignore[attr-defined]
    line: Line = place.line
    return line.is_due(rests_on_dead=rests_on_dead)


def _scene_record(head: SceneVersion, places: list[VersionLine]) -> SceneRecord:
    standing = [place for place in places if not is_due(place)]
    return SceneRecord(
        id=head.scene_id,
        version_id=head.pk,
        slot=head.scene.slot or 0,
        title=head.title,
        number=head.number,
        summary=head.summary,
        sections=_sections(standing),
        due=len(places) - len(standing),
        updated_at=head.created_at,
    )


def _sections(places: list[VersionLine]) -> tuple[SectionRecord, ...]:
    ordered = sorted(places, key=lambda place: (SECTION_ORDER[place.line.section], place.position))
    return tuple(
        SectionRecord(
            section=section,
            heading=Section(section).label,
            lines=tuple(LineRecord(place.line_id, place.line.text, place.line.is_pinned) for place in found),
        )
        for section, found in groupby(ordered, key=lambda place: place.line.section)
    )


def memories(entity: Entity, include_history: bool = False) -> tuple[AtomRecord, ...]:
    """Atoms in the order of their events; superseded, contested, retracted and ended ones on request."""
    atoms = Atom.objects.for_entity(entity)
    found = with_receipts(atoms if include_history else atoms.holding())
    return tuple(atom_record(atom) for atom in found.in_event_order())


def persona(entity: Entity) -> tuple[TraitRecord, ...]:
    """The live traits, one per slot."""
    found = TraitVersion.objects.for_entity(entity).live().select_related("trait")
    return tuple(trait_record(version) for version in found.annotate(receipts=Count("evidence")))


def trait_record(version: TraitVersion) -> TraitRecord:
    """One wording of a trait; the row is annotated with `receipts`."""
    receipts: int = version.receipts  # type: ignore[attr-defined]
    return TraitRecord(
        id=version.trait_id,
        version_id=version.pk,
        slot=version.trait.slot,
        text=version.text,
        number=version.number,
        receipts=receipts,
    )


def transcript(entity: Entity, session: str | None = None) -> tuple[MessageRecord, ...]:
    """What was said, word for word, session by session; one session when its external id is given."""
    found = Message.objects.for_entity(entity).select_related("session")
    if session is not None:
        found = found.filter(session__external_id=session)
    ordered = found.order_by(F("session__created_at"), "session_id", "ordinal")
    return tuple(message_record(message, entity) for message in ordered)


def message_record(message: Message, entity: Entity) -> MessageRecord:
    """One message with its session loaded; its time is in the entity's own zone."""
    return MessageRecord(
        id=message.pk,
        seq=message.seq,
        session=message.session.external_id,
        ordinal=message.ordinal,
        role=message.role,
        speaker=message.speaker,
        text=message.text,
        attachment_text=message.attachment_text,
        tool_name=message.tool_name,
        tool_calls=len(message.tool_calls),
        said_at=message.occurred_at and message.occurred_at.astimezone(entity.zone),
    )
