"""Feedback: what somebody says of what an agent was handed. The next draft is made with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from memory.ingest.attempts import in_transaction
from memory.ingest.problems import IngestConflict, IngestError, Problem, refused
from memory.ingest.storable import is_blank, text_problem
from memory.models import Entity, Feedback, ProcedureVersion, Use
from memory.models.base import new_id
from memory.models.uses import FEEDBACK_LABEL_LIMIT, FEEDBACK_TEXT_LIMIT
from memory.skills.redaction import redacted_fields
from memory.skills.traces import wake_skills
from memory.stewardship.actors import Actor

LIMITS = {
    "label": FEEDBACK_LABEL_LIMIT,
    "comment": FEEDBACK_TEXT_LIMIT,
    "expected": FEEDBACK_TEXT_LIMIT,
    "actual": FEEDBACK_TEXT_LIMIT,
}
NEEDED: Mapping[str, tuple[str, ...]] = {
    Feedback.Kind.CORRECTION: ("comment", "expected"),
    Feedback.Kind.EXCEPTION: ("comment", "actual"),
    Feedback.Kind.EVALUATION: ("score", "label", "comment"),
}
"""Kinds that say nothing without one of these."""
SCORE_PLACES = Decimal("0.0001")


def give_feedback(
    *,
    entity: Entity,
    use: Use | None = None,
    kind: str,
    source: str,
    score: float | Decimal | None = None,
    label: str = "",
    comment: str = "",
    expected: str = "",
    actual: str = "",
    procedure_version: ProcedureVersion | None = None,
    actor: Actor,
    id: UUID | None = None,
) -> Feedback:
    """Store feedback about a use, or about a version of a procedure directly; skill_extract is woken for it.

    It is bound to the version that the use handed out; where the use handed out several, the caller names
    the one that is meant. With an `id` of the caller's own the same call twice is one row. IngestError names
    the field that cannot be taken, IngestConflict an id that stands for other feedback. Must not run in a
    transaction.
    """
    words, _ = redacted_fields({"label": label, "comment": comment, "expected": expected, "actual": actual})
    problems = list(_problems(kind, source, score, words))
    if problems:
        raise IngestError(problems)
    row = Feedback(
        id=id or new_id(),
        workspace_id=entity.workspace_id,
        entity=entity,
        use=use,
        procedure_version_id=_version_of(entity, use, procedure_version),
        kind=kind,
        source=source,
        score=None if score is None else Decimal(str(score)).quantize(SCORE_PLACES),
        user=actor.user,
        key=actor.key,
        **words,
    )
    return in_transaction(lambda: _store(row))


def _problems(
    kind: str, source: str, score: float | Decimal | None, words: Mapping[str, str]
) -> Iterator[Problem]:
    for field, value, known in (("kind", kind, Feedback.Kind), ("source", source, Feedback.Source)):
        if value not in known.values:
            yield Problem(None, field, f"is none of {', '.join(known.values)}")
    if score is not None and not 0 <= score <= 1:
        yield Problem(None, "score", "is not between 0 and 1")
    for field, text in words.items():
        problem = text_problem(text)
        if len(text) > LIMITS[field]:
            problem = f"has {len(text)} characters, at most {LIMITS[field]} are stored"
        if problem:
            yield Problem(None, field, problem)
    given = {**{name: not is_blank(text) for name, text in words.items()}, "score": score is not None}
    needed = NEEDED.get(kind, ())
    if needed and not any(given[name] for name in needed):
        yield Problem(None, needed[0], f"is missing: {kind} needs {' or '.join(needed)}")


def _version_of(entity: Entity, use: Use | None, named: ProcedureVersion | None) -> UUID | None:
    """The version that feedback is about: the named one, or the only one of its use that is still there."""
    if named is not None and named.entity_id != entity.pk:
        raise refused("procedure_version", "is no version of a procedure of this entity")
    if use is None:
        if named is None:
            raise refused("use", "is missing: feedback is about a use, or about a version of a procedure")
        return named.pk
    if named is not None:
        if named.pk not in use.procedure_versions:
            raise refused("procedure_version", "was not handed out by this use")
        return named.pk
    stored = ProcedureVersion.objects.for_entity(entity).filter(pk__in=use.procedure_versions)
    handed_out = list(stored.order_by("pk").values_list("pk", flat=True))
    if len(handed_out) > 1:
        ids = ", ".join(map(str, handed_out))
        raise refused("procedure_version", f"is missing: the use handed out several ({ids})")
    return handed_out[0] if handed_out else None


def _store(row: Feedback) -> Feedback:
    """Within a transaction: the stored feedback of this id, or this one."""
    known = Feedback.objects.filter(pk=row.pk).first()
    if known is not None:
        if _payload(known) != _payload(row):
            raise IngestConflict([Problem(None, "id", "stands for other feedback already")])
        return known
    row.save(force_insert=True)
    wake_skills(row.entity)
    return row


def _payload(row: Feedback) -> tuple[Any, ...]:
    about = (row.workspace_id, row.entity_id, row.use_id, row.procedure_version_id)
    return (*about, row.kind, row.source, row.score, row.label, row.comment, row.expected, row.actual)
