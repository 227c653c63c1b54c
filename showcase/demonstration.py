"""Whose memory the pages show, how much of it there is, and whether anything holds it up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, JSONObject

from memory.fixed_queries import FixedQuery
from memory.models import Atom, Entity, Message, SceneVersion, TraitVersion
from memory.recall.ladder import worker_seen_seconds
from memory.walkthrough.naming import DEMO_RUN_ID, entity_name
from memseek_site.demonstration import WORKSPACE
from memseek_site.doctor.processes import silent_after

TOUR_ENTITY = entity_name(DEMO_RUN_ID)
TOUR_PREFIX = entity_name("")


@dataclass(frozen=True)
class Standing:
    """How much stands on each layer, what waits, and what a visitor should know about it."""

    entity: str
    messages: int
    atoms: int
    atoms_superseded: int
    scenes: int
    scene_versions: int
    traits: int
    pending: int
    parked: int
    remarks: tuple[str, ...]
    obstacles: tuple[str, ...] = ()
    """Of the remarks those that say why nothing would be made."""


def _tour_entities() -> QuerySet[Entity]:
    entities = Entity.objects.visible().filter(workspace__name=WORKSPACE).select_related("workspace")
    nearness = Case(
        When(name=TOUR_ENTITY, then=Value(0)),
        When(name__startswith=TOUR_PREFIX, then=Value(1)),
        default=Value(2),
    )
    return entities.order_by(nearness, "-created_at")[:1]


_TOUR_ENTITIES = FixedQuery(_tour_entities)


def tour_entity() -> Entity | None:
    """The entity of the tour: the one named for it, else the newest of the workspace."""
    found = _TOUR_ENTITIES.rows()
    return found[0] if found else None


def _counts() -> dict[str, Any]:
    atoms, versions, messages = Atom.objects, SceneVersion.objects, Message.objects
    return {
        "message_count": count_of(messages.all()),
        "claims": _claims(),
        "scene_count": count_of(versions.live()),
        "version_count": count_of(versions.all()),
        "trait_count": count_of(TraitVersion.objects.live()),
        "pending_count": count_of(messages.pending())
        + count_of(atoms.pending())
        + count_of(versions.pending()),
        "parked_count": count_of(messages.parked()) + count_of(atoms.parked()) + count_of(versions.parked()),
    }


def _claims() -> Subquery:
    """The outer entity's that are live and those that were superseded, from one look at an index."""
    live, past = Q(status=Atom.Status.LIVE), Q(status=Atom.Status.SUPERSEDED)
    counted = (
        Atom.objects.filter(entity=OuterRef("pk"))
        .order_by()
        .values("entity")
        .annotate(live=Count("status", filter=live), superseded=Count("status", filter=past))
    )
    return Subquery(counted.values(told=JSONObject(live="live", superseded="superseded")))


def of_outer(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Those of the rows that are the outer entity's."""
    return rows.filter(workspace=OuterRef("workspace"), entity=OuterRef("pk")).order_by()


def count_of(rows: QuerySet[Any]) -> Coalesce:
    """How many of the rows are the outer entity's."""
    counted = of_outer(rows).values("entity").annotate(count=Count("*")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _counted(entity: UUID) -> QuerySet[Any, dict[str, Any]]:
    counts = _counts()
    rows: QuerySet[Any, Any] = Entity.objects.filter(pk=entity).annotate(**counts).values(*counts)
    return rows


_COUNTED = FixedQuery(_counted, entity=UUID)


def standing_of(owner: Entity) -> Standing:
    """How much an entity's memory holds, put into words where something is amiss; two statements."""
    [counted] = _COUNTED.rows(entity=owner.pk)
    claims = counted["claims"] or {"live": 0, "superseded": 0}
    hindered = obstacles(
        worker_seen_seconds=worker_seen_seconds(),
        silent_seconds=silent_after().total_seconds(),
        is_llm_fake=settings.MEMSEEK.is_llm_fake,
    )
    pending, parked = counted["pending_count"], counted["parked_count"]
    return Standing(
        entity=owner.name,
        messages=counted["message_count"],
        atoms=claims["live"],
        atoms_superseded=claims["superseded"],
        scenes=counted["scene_count"],
        scene_versions=counted["version_count"],
        traits=counted["trait_count"],
        pending=pending,
        parked=parked,
        remarks=(*hindered, *_waits(pending=pending, parked=parked)),
        obstacles=hindered,
    )


def remarks(
    *,
    pending: int,
    parked: int,
    worker_seen_seconds: float | None,
    silent_seconds: float,
    is_llm_fake: bool,
) -> tuple[str, ...]:
    """What stands in the way of the ladder, and what waits, in words; nothing when all is well."""
    hindered = obstacles(
        worker_seen_seconds=worker_seen_seconds, silent_seconds=silent_seconds, is_llm_fake=is_llm_fake
    )
    return (*hindered, *_waits(pending=pending, parked=parked))


def obstacles(
    *, worker_seen_seconds: float | None, silent_seconds: float, is_llm_fake: bool
) -> tuple[str, ...]:
    """Why nothing would be made of words."""
    said = []
    if is_llm_fake:
        said.append("LLM_FAKE is set: what is said is kept, and nothing is made of it.")
    if worker_seen_seconds is None:
        said.append("No worker is running here. To start one: make worker (make demo brings its own).")
    elif worker_seen_seconds > silent_seconds:
        said.append(f"No worker seen for {_duration(worker_seen_seconds)}. To start one: make worker.")
    return tuple(said)


def _waits(*, pending: int, parked: int) -> tuple[str, ...]:
    said = []
    if pending:
        said.append(f"{_inputs(pending)} waiting to be worked on.")
    if parked:
        said.append(
            f"{_inputs(parked)} set aside after failures. manage.py doctor says why, the admin retries."
        )
    return tuple(said)


def _inputs(count: int) -> str:
    return "1 input is" if count == 1 else f"{count} inputs are"


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds:.0f} s"
