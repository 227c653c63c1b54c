"""Correcting claims: superseded by a corrected one, taken back, restored.

A correction outranks the cascade: what was said before it gives way, whoever said it. Words said later are
weighed against it as against any other, so that a new message may say it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from memory.cascade.chain_places import said_last, settle, write_places
from memory.cascade.contract import ATOM_TEXT_LIMIT, TITLE_LIMIT
from memory.cascade.rules.grounding import ungrounded
from memory.claims.chains import enter, settle_again
from memory.ingest.storable import text_problem
from memory.models import Atom, Authority, Correction, Entity, Evidence
from memory.models.base import new_id
from memory.recall.terms import terms_of
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from memory.stewardship.correcting import clean_text, correcting, record

SCOPE_LIMIT = 200
HIGHEST_PRIORITY = 100
TICK = timedelta(microseconds=1)
PLACED = ("status", "superseded_by", "last_seen_at")


def retract_atom(*, atom: Atom, actor: Actor, reason: str) -> Correction:
    """Take a claim back, and who else says the same words in its chain; what it had replaced stays so.

    Lines that rest on it are due and left out of recall until they are rewritten. StaleChangeError when the
    claim has another state by now than the given row, RefusedChangeError when it was taken back already.
    """
    with correcting(atom.entity) as entity:
        row = _current(entity, atom)
        if row.status == Atom.Status.RETRACTED:
            raise RefusedChangeError("The claim was taken back already.")
        members = _members(entity, row)
        taken_back = [member for member in members if member.text == row.text]
        before = {**_told(row), "head": _head(members), "atoms": [str(member.pk) for member in taken_back]}
        ids = [member.pk for member in taken_back]
        Atom.objects.for_entity(entity).filter(pk__in=ids).update(status=Atom.Status.RETRACTED)
        settle_again(entity, [row.chain_id])
        head = Atom.objects.for_entity(entity).live().filter(chain=row.chain_id)
        return record(
            entity,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.ATOM_RETRACTED,
            before=before,
            after={"atom": str(row.pk), "status": Atom.Status.RETRACTED, "head": _head(head)},
        )


def restore_atom(*, atom: Atom, actor: Actor, reason: str) -> Correction:
    """Have a claim hold again that was taken back, superseded or contested; what held goes below it.

    The correction is one more receipt of the claim. RefusedChangeError when it holds already, when its time
    is over or has not come, or when another matter holds in the same words.
    """
    with correcting(atom.entity) as entity:
        row = _current(entity, atom)
        if row.status == Atom.Status.LIVE:
            raise RefusedChangeError("The claim holds already.")
        _refuse_twin(entity, row.text, row)
        members = _members(entity, row)
        row = next(member for member in members if member.pk == row.pk)
        before = {**_told(row), "head": _head(members)}
        stood = _places(members)
        row.is_ruling, row.status = True, Atom.Status.LIVE
        row.last_seen_at = _moment(members)
        settle(members)
        _refuse_not_holding(row)
        _write(members, stood)
        correction = record(
            entity,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.ATOM_RESTORED,
            before=before,
            after={"atom": str(row.pk), "status": row.status, "head": _head(members)},
        )
        _vouch(row, correction)
        return correction


def supersede_atom(
    *,
    atom: Atom,
    text: str,
    actor: Actor,
    reason: str,
    kind: str | None = None,
    priority: int | None = None,
    topic: str | None = None,
    scope: str | None = None,
) -> Atom:
    """Put a corrected claim in the place of one; what is not given is taken over.

    The new claim is live in the same chain, rests on the correction, and waits to be placed in scenes. Its
    authority is that of what it replaces, and at least a user's. Of an observed claim subject, predicate and
    value stay. Days stay where the new text names them. StaleChangeError when the claim has another state by
    now than the given row; RefusedChangeError, naming the field, for what cannot be stored, for a claim that
    does not hold, or when nothing would change.
    """
    wording = _wording(atom, text=text, kind=kind, priority=priority, topic=topic, scope=scope)
    with correcting(atom.entity) as entity:
        row = _current(entity, atom)
        if row.status not in (Atom.Status.LIVE, Atom.Status.CONTESTED):
            raise RefusedChangeError(f"The claim is {row.status}: restore it before it is corrected.")
        _refuse_twin(entity, wording.text, row)
        members = _members(entity, row)
        made = _corrected(row, wording, members)
        before = {**_told(row), "head": _head(members)}
        enter(made, members)
        _refuse_not_holding(made)
        correction = record(
            entity,
            actor=actor,
            reason=reason,
            kind=Correction.Kind.ATOM_SUPERSEDED,
            before=before,
            after=_told(made),
        )
        _vouch(made, correction)
        return made


@dataclass(frozen=True, slots=True)
class _Wording:
    """What a person may correct about a claim."""

    text: str
    kind: str
    priority: int
    topic: str
    scope: str


def _wording(
    atom: Atom, *, text: str, kind: str | None, priority: int | None, topic: str | None, scope: str | None
) -> _Wording:
    kind = atom.kind if kind is None else kind
    stays = atom.scope if kind == Atom.Kind.INSTRUCTION else ""
    wording = _Wording(
        text=clean_text(text, limit=ATOM_TEXT_LIMIT, name="The claim"),
        kind=kind,
        priority=atom.priority if priority is None else priority,
        topic=atom.topic if topic is None else " ".join(topic.split()),
        scope=stays if scope is None else " ".join(scope.split()),
    )
    _refuse_bad(wording)
    if wording == _Wording(atom.text, atom.kind, atom.priority, atom.topic, atom.scope):
        raise RefusedChangeError("Nothing would change.")
    return wording


def _refuse_bad(wording: _Wording) -> None:
    if wording.kind not in Atom.Kind.values:
        raise RefusedChangeError(f"The kind is one of {', '.join(Atom.Kind.values)}.")
    if not 0 <= wording.priority <= HIGHEST_PRIORITY:
        raise RefusedChangeError(f"The priority is a number from 0 to {HIGHEST_PRIORITY}.")
    if wording.scope and wording.kind != Atom.Kind.INSTRUCTION:
        raise RefusedChangeError("Only an instruction has a scope.")
    for name, said, limit in (("topic", wording.topic, TITLE_LIMIT), ("scope", wording.scope, SCOPE_LIMIT)):
        if len(said) > limit or text_problem(said):
            raise RefusedChangeError(f"The {name} is a text of at most {limit} characters.")


def _current(entity: Entity, atom: Atom) -> Atom:
    """The row as it is now, if it still is what the person saw."""
    row = Atom.objects.for_entity(entity).filter(pk=atom.pk).first()
    if row is None:
        raise StaleChangeError("The claim is not there any more.")
    if row.status != atom.status:
        raise StaleChangeError(f"The claim is {row.status} by now: look at it again.")
    return row


def _members(entity: Entity, row: Atom) -> list[Atom]:
    """All members of its chain, itself too."""
    return list(Atom.objects.for_entity(entity).filter(chain=row.chain_id).with_rulings().order_by("seq"))


def _refuse_twin(entity: Entity, text: str, row: Atom) -> None:
    if Atom.objects.for_entity(entity).live().filter(text=text).exclude(chain=row.chain_id).exists():
        raise RefusedChangeError("Another claim holds in exactly these words.")


def _refuse_not_holding(row: Atom) -> None:
    if row.status != Atom.Status.LIVE:
        raise RefusedChangeError("The claim does not hold at this time: it ends before, or begins later.")


def _moment(members: Iterable[Atom]) -> datetime:
    """Now, or just after the last word of the chain where a clock was ahead."""
    return max([timezone.now(), *(said_last(member) + TICK for member in members)])


def _corrected(row: Atom, wording: _Wording, members: Sequence[Atom]) -> Atom:
    moment = _moment(members)
    standing = [member.authority for member in members if member.status == Atom.Status.LIVE]
    made = Atom(
        id=new_id(),
        workspace_id=row.workspace_id,
        entity_id=row.entity_id,
        chain_id=row.chain_id,
        text=wording.text,
        kind=wording.kind,
        priority=wording.priority,
        topic=wording.topic,
        scope=wording.scope,
        subject=row.subject,
        authority=max(Authority.USER, row.authority, *standing),
        decision=Atom.Decision.MERGE,
        merge_reason=Atom.MergeReason.VALUE,
        occurred_at=moment,
        last_seen_at=moment,
        created_at=timezone.now(),
        terms=terms_of(f"{wording.text} {wording.topic}"),
        **_period(row, wording.text),
        **{name: getattr(row, name) for name in ASSERTION},
    )
    made.is_ruling = True
    return made


ASSERTION = (
    *("subject_kind", "subject_id", "predicate", "value", "live_source"),
    *("valid_from", "valid_until"),
)
"""What makes an atom a claim about a subject; kept when its words are corrected."""


def _period(row: Atom, text: str) -> dict[str, Any]:
    days = {name: getattr(row, name) for name in ("happened_from", "happened_until")}
    return {name: day for name, day in days.items() if day and (text == row.text or _names(text, day))}


def _names(text: str, day: date) -> bool:
    return not ungrounded(f"On {day.isoformat()}.", [text])


def _places(members: Iterable[Atom]) -> dict[Any, tuple[object, ...]]:
    return {member.pk: (member.status, member.superseded_by_id, member.last_seen_at) for member in members}


def _write(members: Sequence[Atom], stood: dict[Any, tuple[object, ...]]) -> None:
    now = _places(members)
    write_places([member for member in members if now[member.pk] != stood[member.pk]], (), fields=PLACED)


def _vouch(atom: Atom, correction: Correction) -> None:
    Evidence.objects.create(
        workspace_id=atom.workspace_id, entity_id=atom.entity_id, of_atom=atom, correction=correction
    )


def _told(atom: Atom) -> dict[str, Any]:
    """A claim as its correction remembers it."""
    return {
        "atom": str(atom.pk),
        "text": atom.text,
        "status": atom.status,
        "kind": atom.kind,
        "priority": atom.priority,
        "topic": atom.topic,
        "scope": atom.scope,
    }


def _head(members: Iterable[Atom]) -> str | None:
    """The claim of a chain that holds."""
    return next((str(member.pk) for member in members if member.status == Atom.Status.LIVE), None)
