"""Erased words wherever they may have been copied: every column of the register is looked through.

Receipts say what rests on what; a model may have put words into a title, a line or an atom that it did not
cite. What holds a distinctive word of the erased text goes as if it rested on it. What people and
applications wrote themselves was not made of the erased text: it goes for a telling word only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet

from memory.models import (
    Atom,
    Correction,
    Digest,
    Entity,
    Erasure,
    Feedback,
    GraphEdge,
    GraphNode,
    Line,
    LiveValue,
    ProcedureLine,
    ProcedureVersion,
    Review,
    Run,
    SceneVersion,
    Session,
    Share,
    TaskTrace,
    TraceStep,
    TraitVersion,
    Use,
)
from memory.stewardship.erasing.affected import Affected
from memory.stewardship.erasing.independent import (
    ALL_INDEPENDENT,
    CLAIMED_OR_WRITTEN,
    independent,
    surviving_sources,
)
from memory.stewardship.erasing.needles import Needles, identifiers_in
from memory.stewardship.erasing.parts import found_by
from memory.stewardship.words import words_of

CHUNK = 2_000

SWEPT: dict[str, type[Any]] = {
    "renamed_sessions": Session,
    "digests": Digest,
    "atoms": Atom,
    "edges": GraphEdge,
    "live_values": LiveValue,
    "lines": Line,
    "scene_versions": SceneVersion,
    "trait_versions": TraitVersion,
    "corrections": Correction,
    "trace_steps": TraceStep,
    "traces": TaskTrace,
    "feedback": Feedback,
    "procedure_lines": ProcedureLine,
    "procedure_versions": ProcedureVersion,
    "reviews": Review,
    "uses": Use,
    "runs": Run,
    "erasures": Erasure,
    "shares": Share,
}
"""The tables of an entity that are looked through, by where their hits are noted."""
OF_PEOPLE = frozenset({"corrections", "feedback", "reviews", "erasures", "shares"})
"""What people wrote themselves: a retention rule leaves it."""
NAMING_ROWS = ("corrections", "runs", "uses")
"""Tables that tell by ids, in JSON or arrays, which rows they were about."""
NAMED_IN = {"uses": ("records", "procedure_versions"), "runs": ("inputs", "outputs", "decisions")}


def sweep(entity: Entity, affected: Affected, *, spares_people: bool) -> None:
    """Add the rows that hold one of the words, over all tables that the entity owns.

    What rests on no message counts for telling words only; under a retention rule, what people wrote and
    applications claimed stays whatever it holds.
    """
    for name, model in SWEPT.items():
        if affected.needles:
            getattr(affected, name).update(_hits(entity, affected, name, model, spares_people=spares_people))
    if affected.needles:
        _sweep_nodes(entity, affected)
    affected.renamed_sessions -= affected.sessions


def _hits(
    entity: Entity, affected: Affected, name: str, model: type[Any], *, spares_people: bool
) -> Iterator[UUID]:
    rows = _owned(model, entity)
    own = independent(model, rows)
    if not (spares_people and (name in OF_PEOPLE or model in CLAIMED_OR_WRITTEN)):
        yield from _unsourced(entity, affected, model, _holding(own, affected.telling))
    if model not in ALL_INDEPENDENT:
        made = rows.exclude(pk__in=own.order_by().values("pk"))
        yield from _unsourced(entity, affected, model, _holding(made, affected.needles))


def _unsourced(
    entity: Entity, affected: Affected, model: type[Any], hits: dict[UUID, frozenset[str]]
) -> Iterator[UUID]:
    """The rows that hold a word which nothing that they rest on, and that stays, holds too."""
    said = surviving_sources(entity, affected, model, set(hits)) if hits else {}
    for pk, words in hits.items():
        if words - affected.needles.found_in(said.get(pk, [])):
            yield pk


def _owned(model: type[Any], entity: Entity) -> QuerySet[Any]:
    rows: QuerySet[Any] = model._default_manager.all()
    return rows.filter(workspace_id=entity.workspace_id, entity_id=entity.pk)


def _holding(rows: QuerySet[Any], needles: Needles) -> dict[UUID, frozenset[str]]:
    """The words that each row holds, of those that hold any."""
    words = words_of(rows.model._meta.db_table)
    if not needles:
        return {}
    told = rows.order_by().values_list("pk", *words).iterator(CHUNK)
    return {pk: needles.found_in(values) for pk, *values in told if any(map(needles.are_in, values))}


def _sweep_nodes(entity: Entity, affected: Affected) -> None:
    """A node goes with its edges."""
    nodes = set(_holding(_owned(GraphNode, entity), affected.needles))
    if nodes:
        edges = GraphEdge.objects.for_entity(entity).filter(Q(subject__in=nodes) | Q(object__in=nodes))
        affected.edges.update(edges.values_list("pk", flat=True))


def note_approved(entity: Entity, affected: Affected) -> None:
    """Among the versions that go, those that agents work by and those that people decided about."""
    hit = affected.procedure_versions
    active = ProcedureVersion.objects.for_entity(entity).active()
    affected.active_procedures |= found_by(active, "pk", hit, "pk")
    affected.reviewed_versions |= found_by(Review.objects.for_entity(entity), "version_id", hit, "version_id")


def note_mentions(entity: Entity, affected: Affected) -> None:
    """Add what names an affected row by its id: corrections, runs, uses and the admin's log."""
    gone = {str(row) for row in affected.memory_rows}
    if not gone:
        return
    documents = {str(row) for row in _documents(entity, affected)}
    for name in NAMING_ROWS:
        model = SWEPT[name]
        columns = NAMED_IN.get(name) or words_of(model._meta.db_table)
        rows = _owned(model, entity).order_by().values_list("pk", *columns).iterator(CHUNK)
        wanted = gone | documents if name == "uses" else gone
        hits = {pk for pk, *values in rows if _names_one(values, wanted)}
        getattr(affected, name).update(hits)
    affected.uses.update(
        Use.objects.for_entity(entity)
        .filter(session__in=affected.sessions | affected.folded_sessions)
        .values_list("pk", flat=True)
    )


def _documents(entity: Entity, affected: Affected) -> set[UUID]:
    """The scenes and traits of which a version is affected: what was handed out may name these instead."""
    scenes = found_by(SceneVersion.objects.for_entity(entity), "pk", affected.scene_versions, "scene_id")
    return scenes | found_by(
        TraitVersion.objects.for_entity(entity), "pk", affected.trait_versions, "trait_id"
    )


def _names_one(values: list[Any], gone: set[str]) -> bool:
    return any(
        not gone.isdisjoint(map(str, value) if _is_ids(value) else identifiers_in(value)) for value in values
    )


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], UUID)


def note_log_entries(entity: Entity, affected: Affected) -> None:
    """Add entries of the admin's log about affected rows, and those whose words are erased ones.

    An entry belongs to the entity when its row does; the row of an entry may be gone by now, and then its
    words alone decide.
    """
    gone = {str(row) for row in affected.memory_rows | affected.traces | affected.corrections | affected.runs}
    entries = LogEntry.objects.filter(content_type__app_label="memory").select_related("content_type")
    for entry in entries.order_by().iterator(CHUNK):
        if entry.object_id in gone or (
            _needles_for(entry, affected).are_in([entry.object_repr, entry.change_message])
            and not _is_of_another(entry, entity)
        ):
            affected.log_entries.add(entry.pk)


def _needles_for(entry: LogEntry, affected: Affected) -> Needles:
    model = entry.content_type.model_class() if entry.content_type else None
    return affected.telling if model in {*ALL_INDEPENDENT, TraceStep, TaskTrace} else affected.needles


def _is_of_another(entry: LogEntry, entity: Entity) -> bool:
    """Whether the entry's row stands and is none of this entity."""
    model = entry.content_type.model_class() if entry.content_type else None
    if model is None:
        return False
    try:
        row = model._default_manager.filter(pk=entry.object_id).first()
    except (ValueError, TypeError):
        return False
    return row is not None and getattr(row, "entity_id", row.pk) != entity.pk
