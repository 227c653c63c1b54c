"""Traces of what lies beside the ladder: runs, what agents were handed, procedures and what these rest on.

A record here is told by itself, with the ids that it leads to; the words of all of them are read at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Left

from memory.models import (
    Atom,
    Correction,
    Digest,
    Entity,
    Evidence,
    Feedback,
    Line,
    Message,
    Procedure,
    ProcedureLine,
    ProcedureVersion,
    Run,
    SceneVersion,
    Session,
    TaskTrace,
    TraceStep,
    TraitVersion,
    Use,
)
from memory.recall.records import TraceNode
from memory.recall.times import time_text
from showcase.parts import LAYER_OF_KIND

IDS_SHOWN = 200
"""So many of what a record leads to are looked up in each direction."""
TEXT_SHOWN = 500
PLAIN: Mapping[str, tuple[Any, Any]] = {
    "message": (Message, F("text")),
    "atom": (Atom, F("text")),
    "line": (Line, F("text")),
    "scene version": (SceneVersion, F("title")),
    "trait version": (TraitVersion, F("text")),
    "digest": (Digest, F("text")),
    "correction": (Correction, F("kind")),
    "session": (Session, F("external_id")),
    "run": (Run, F("step")),
    "use": (Use, F("kind")),
    "feedback": (Feedback, F("comment")),
    "task trace": (TaskTrace, F("task")),
    "trace step": (TraceStep, F("text")),
    "procedure": (Procedure, F("slug")),
    "procedure version": (ProcedureVersion, F("title")),
    "procedure line": (ProcedureLine, F("text")),
}
"""Every kind that a record may lead to, and its words."""


@dataclass(frozen=True, slots=True)
class Told:
    """A record by itself, and the ids below and above it."""

    text: str
    facts: Mapping[str, str] = field(default_factory=dict)
    below: Sequence[UUID] = ()
    above: Sequence[UUID] = ()


def walks_beside(entity: Entity, id: UUID) -> tuple[TraceNode, TraceNode] | None:
    """The record down and up; None when the entity has none of that id. At most five statements."""
    found = _rows(entity, [id], TELLING)
    if not found:
        return None
    [(kind, _, _)] = found
    told = TELLING[kind](entity, id)
    wanted = [*told.below[:IDS_SHOWN], *told.above[:IDS_SHOWN]]
    words = {row: (sort, text) for sort, row, text in _rows(entity, wanted, PLAIN)}
    below, above = (_nodes(words, ids[:IDS_SHOWN]) for ids in (told.below, told.above))
    return _node(kind, id, told.text, told.facts, below), _node(kind, id, told.text, told.facts, above)


def _rows(entity: Entity, ids: Sequence[UUID], kinds: Iterable[str]) -> list[tuple[str, UUID, str]]:
    """Kind, id and words of rows; one statement, none without ids."""
    if not ids:
        return []
    first, *others = (_of_kind(entity, ids, kind) for kind in kinds)
    return list(first.union(*others, all=True))


def _of_kind(entity: Entity, ids: Sequence[UUID], kind: str) -> QuerySet[Any, Any]:
    model, text = PLAIN[kind]
    rows = model.objects.for_entity(entity).filter(pk__in=ids).order_by()
    shown = Left(Cast(text, CharField()), TEXT_SHOWN)
    described = rows.annotate(record_kind=Value(kind), shown=shown)
    found: QuerySet[Any, Any] = described.values_list("record_kind", "pk", "shown")
    return found


def _nodes(words: Mapping[UUID, tuple[str, str]], ids: Iterable[UUID]) -> tuple[TraceNode, ...]:
    """What is still there, each once."""
    known = (id for id in dict.fromkeys(ids) if id in words)
    return tuple(_node(words[id][0], id, words[id][1]) for id in known)


def _node(
    kind: Any,
    id: UUID,
    text: str,
    facts: Mapping[str, str] | None = None,
    children: tuple[TraceNode, ...] = (),
) -> TraceNode:
    return TraceNode(LAYER_OF_KIND.get(kind) or None, kind, id, text or kind, facts or {}, children)


def _run(entity: Entity, id: UUID) -> Told:
    row = Run.objects.for_entity(entity).defer("raw_answer", "decisions").get(pk=id)
    facts = {
        "status": row.status,
        "model": row.model,
        "tokens": f"{row.tokens_in} in, {row.tokens_out} out" if row.tokens_in else "",
        "took": f"{row.milliseconds} ms",
        "finished": time_text(row.finished_at and row.finished_at.astimezone(entity.zone)),
        "error": row.error_kind,
        "wrote nothing": row.noop_reason,
    }
    return Told(row.get_step_display(), _said(facts), _noted(row.inputs), _noted(row.outputs))


def _noted(ids: Mapping[str, Any]) -> list[UUID]:
    """The ids in what a run noted, whatever their kinds are called."""
    lists = (found for found in ids.values() if isinstance(found, list))
    return [id for found in lists for id in map(_id, found) if id is not None]


def _id(noted: Any) -> UUID | None:
    try:
        return UUID(noted)
    except (TypeError, ValueError, AttributeError):
        return None


def _use(entity: Entity, id: UUID) -> Told:
    row = Use.objects.for_entity(entity).defer("manifest", "text", "request").get(pk=id)
    facts = {
        "tokens": str(row.tokens),
        "handed out": time_text(row.created_at.astimezone(entity.zone)),
        "SHA-256": row.sha256[:12],
    }
    said = Feedback.objects.for_entity(entity).filter(use=id).values_list("pk", flat=True)
    text = f"What an agent was handed: {row.get_kind_display()}"
    return Told(text, facts, [*row.procedure_versions, *row.records], list(said[:IDS_SHOWN]))


def _feedback(entity: Entity, id: UUID) -> Told:
    row = Feedback.objects.for_entity(entity).get(pk=id)
    facts = {"kind": row.kind, "from": row.source, "said": time_text(row.created_at.astimezone(entity.zone))}
    below = [about for about in (row.use_id, row.procedure_version_id) if about]
    return Told(row.comment or row.label or row.kind, facts, below, _lines_over(entity, feedback=id))


def _task_trace(entity: Entity, id: UUID) -> Told:
    row = TaskTrace.objects.for_entity(entity).get(pk=id)
    steps = TraceStep.objects.for_entity(entity).filter(trace=id).order_by("position")
    below = [*steps.values_list("pk", flat=True)[:IDS_SHOWN], *([row.session_id] if row.session_id else [])]
    facts = _said({"outcome": row.outcome, "note": row.note})
    return Told(row.task, facts, below, _lines_over(entity, trace_step__trace=id))


def _trace_step(entity: Entity, id: UUID) -> Told:
    row = TraceStep.objects.for_entity(entity).get(pk=id)
    below = [about for about in (row.trace_id, row.message_id) if about]
    facts = _said({"kind": row.kind, "tool": row.tool_name})
    return Told(row.text, facts, below, _lines_over(entity, trace_step=id))


def _procedure(entity: Entity, id: UUID) -> Told:
    row = Procedure.objects.for_entity(entity).get(pk=id)
    versions = ProcedureVersion.objects.for_entity(entity).filter(procedure=id).order_by("-number")
    found = list(versions.values_list("pk", "title")[:IDS_SHOWN])
    title = next((title for _, title in found if title), row.slug)
    return Told(title, {"status": row.status}, [pk for pk, _ in found])


def _procedure_version(entity: Entity, id: UUID) -> Told:
    row = ProcedureVersion.objects.for_entity(entity).get(pk=id)
    lines = ProcedureLine.objects.for_entity(entity).filter(version=id).order_by("position")
    uses = Use.objects.for_entity(entity).filter(procedure_versions__contains=[id]).order_by("-created_at")
    facts = {"version": str(row.number), "status": row.status}
    return Told(
        row.title,
        facts,
        [row.procedure_id, *lines.values_list("pk", flat=True)[:IDS_SHOWN]],
        list(uses.values_list("pk", flat=True)[:IDS_SHOWN]),
    )


def _procedure_line(entity: Entity, id: UUID) -> Told:
    row = ProcedureLine.objects.for_entity(entity).get(pk=id)
    receipts = _evidence(entity).filter(of_procedure_line=id).order_by("pk")
    targets = receipts.values_list("trace_step", "feedback", "correction")
    below = [target for found in targets for target in found if target]
    return Told(row.text or "(erased)", {"section": row.get_section_display()}, below, [row.version_id])


def _lines_over(entity: Entity, **target: Any) -> list[UUID]:
    """The lines of procedures that rest on something."""
    found = _evidence(entity).filter(**target, of_procedure_line__isnull=False).order_by("pk")
    return [line for line in found.values_list("of_procedure_line", flat=True)[:IDS_SHOWN] if line]


def _evidence(entity: Entity) -> QuerySet[Evidence, Any]:
    return Evidence.objects.filter(workspace_id=entity.workspace_id, entity=entity)


def _said(facts: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in facts.items() if value}


TELLING: Mapping[str, Callable[[Entity, UUID], Told]] = {
    "run": _run,
    "use": _use,
    "feedback": _feedback,
    "task trace": _task_trace,
    "trace step": _trace_step,
    "procedure": _procedure,
    "procedure version": _procedure_version,
    "procedure line": _procedure_line,
}
