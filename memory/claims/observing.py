"""Observing: an assertion with its evidence takes its place among what was asserted before.

Which of them holds follows from authority and from when each was said, so that the order in which
observations arrive never matters. Everything of one entity waits in line at the entity's row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.utils import timezone

from memory.claims.chains import lock_entity
from memory.claims.matching import Rule
from memory.claims.matter import Matter, Statement
from memory.claims.observation import (
    MessageEvidence,
    Observation,
    is_too_far_ahead,
    observation_problems,
    value_problem,
)
from memory.claims.policies import policy_for
from memory.claims.values import claim_text, reference_text
from memory.ingest.access import Access
from memory.ingest.entities import ensure_entity, refuse_name
from memory.ingest.problems import IngestError, Problem, refused
from memory.ingest.redaction import redact_json
from memory.models import Atom, Authority, Entity, Message
from memory.recall.times import time_text
from memory.transactions import durable_transaction

Outcome = Literal["stored", "replaced", "repeated", "contested", "history", "ignored", "referenced"]


@dataclass(frozen=True, slots=True)
class Observed:
    """What became of an observation."""

    outcome: Outcome
    reason: str = ""
    """Why, where that is not plain."""
    atom: Atom | None = None
    """The claim that says it, None when nothing is kept."""
    chain: UUID | None = None
    is_new: bool = False
    """Whether the claim was made by this observation."""
    holds: Atom | None = None
    """The claim that holds of the matter, if one does; the same one unless it is contested or history."""


def observe(*, entity: Entity, observation: Observation) -> Observed:
    """Record what somebody asserts, as the policy of its predicate says; the same twice is stored once.

    The outcomes: `stored` (the first of its matter), `replaced` (it took the place of another), `repeated`
    (held already: one more receipt), `contested` (somebody of more authority says otherwise, or it does not
    hold yet), `history` (something said later, or by more authority, stands, or its time is over),
    `referenced` (fetched when needed, not kept) and `ignored`.
    An observation without `said_at` is said now; with it, sending it again is harmless at any time.

    Raises IngestError naming the field, also when the policy lets its authority assert nothing here.
    """
    rule = _rule(entity.workspace_id, observation)
    if rule.is_ignored:
        return _ignored(rule)
    with durable_transaction():
        return _record(entity, _redacted(observation), rule)


def observe_with(*, access: Access, entity_name: str, observation: Observation) -> Observed:
    """Observe for the holder of a key; the entity is made with its first claim, or not at all.

    Raises UnknownEntityError as well: a key that is bound to entities makes no others.
    """
    rule = _rule(access.workspace.pk, observation)
    if access.is_bound:
        return observe(entity=access.entity(entity_name), observation=observation)
    refuse_name(entity_name)
    if rule.is_ignored:
        return _ignored(rule)
    with durable_transaction():
        entity = ensure_entity(workspace=access.workspace, name=entity_name)
        return _record(entity, _redacted(observation), rule)


def _redacted(observation: Observation) -> Observation:
    """Without what the settings have taken out of values; `wifi.password` says what its value is.

    Raises IngestError where the placeholders make the value larger than one may be.
    """
    name = observation.predicate.rpartition(".")[2]
    done, counts = redact_json({name: observation.value})
    if not counts:
        return observation
    problem = value_problem(done[name])
    if problem:
        raise refused("value", f"{problem}, once it is redacted")
    return replace(observation, value=done[name])


def _rule(workspace_id: UUID, observation: Observation) -> Rule:
    """What the workspace decided about it; IngestError when it cannot be taken."""
    problems = observation_problems(observation)
    if problems:
        raise IngestError(problems)
    rule = policy_for(workspace_id, observation.predicate)
    _refuse_authority(observation, rule)
    problem = value_problem(observation.value)
    if problem and not (rule.is_live and observation.value is None):
        raise refused("value", problem)
    return rule


def _ignored(rule: Rule) -> Observed:
    return Observed("ignored", f"The policy {rule.pattern} keeps nothing of it.")


def _record(entity: Entity, observation: Observation, rule: Rule) -> Observed:
    lock_entity(entity)
    matter = Matter(entity, _statement(entity, observation, rule), is_many=rule.is_many)
    return _outcome(matter, matter.enter(), rule)


def _refuse_authority(observation: Observation, rule: Rule) -> None:
    if observation.authority in rule.asserted_by:
        return
    takers = ", ".join(Authority(number).label for number in sorted(rule.asserted_by, reverse=True))
    asserter = Authority(observation.authority).label
    raise refused("authority", f"{asserter} may not assert it: the policy {rule.pattern} takes {takers}")


def _statement(entity: Entity, observation: Observation, rule: Rule) -> Statement:
    subject = observation.subject
    names = {"kind": subject.kind, "identifier": subject.identifier, "predicate": observation.predicate}
    said_in_messages = _said_in(entity, observation)
    said_at = observation.said_at or said_in_messages
    return Statement(
        observation=observation,
        text=reference_text(**names, source=rule.source)
        if rule.is_live
        else claim_text(**names, value=observation.value),
        value=None if rule.is_live else observation.value,
        live_source=rule.source,
        # The operator vouches for the source, whoever noticed that there is something to fetch.
        authority=Authority.APPLICATION if rule.is_live else Authority(observation.authority),
        said_at=said_at or timezone.now(),
        is_dated=said_at is not None,
    )


def _said_in(entity: Entity, observation: Observation) -> datetime | None:
    """When the messages were said, if nothing else is the evidence; IngestError for one that is not there."""
    wanted = {
        item.message: place
        for place, item in enumerate(observation.evidence)
        if isinstance(item, MessageEvidence)
    }
    rows = Message.objects.for_entity(entity).filter(pk__in=wanted)
    times = dict(rows.values_list("pk", "occurred_at"))
    missing = [place for message, place in wanted.items() if message not in times]
    if missing:
        named = [f"evidence[{place}].message" for place in missing]
        raise IngestError([Problem(None, field, "is no stored message of this entity") for field in named])
    if len(wanted) < len(observation.evidence):
        return None
    last = max((time for time in times.values() if time is not None), default=None)
    # A message may bear any time; said in years to come, a claim would stand in the way of all others.
    return None if last is not None and is_too_far_ahead(last) else last


def _outcome(matter: Matter, atom: Atom, rule: Rule) -> Observed:
    shown = matter.agreeing(atom) or atom
    outcome, reason = _told(matter, atom, rule)
    is_new = atom is matter.made and shown is atom
    return Observed(outcome, reason, shown, shown.chain_id, is_new, matter.head)


def _told(matter: Matter, atom: Atom, rule: Rule) -> tuple[Outcome, str]:
    if atom.status == Atom.Status.RETRACTED:
        return "repeated", "A person took it back."
    if rule.is_live:
        return "referenced", f"The policy {rule.pattern} fetches it from {rule.source} when it is needed."
    reason = _held_back(matter, atom)
    if atom is not matter.made and atom.status == matter.status_before:
        return "repeated", reason if atom.status == Atom.Status.CONTESTED else "It is held already."
    if atom.status == Atom.Status.CONTESTED:
        return "contested", reason
    if atom is matter.head and matter.held_before is None:
        return "stored", ""
    if atom is matter.head:
        return "replaced", f"It takes the place of «{matter.held_before}»."
    return ("repeated" if matter.agreeing(atom) else "history"), reason


def _held_back(matter: Matter, atom: Atom) -> str:
    """Why a claim that does not hold does not; empty for the one that does."""
    head = matter.head
    if head is atom:
        return ""
    if head is not None:
        says = f"{head.get_authority_display()} says «{head.text}»"
        if atom.status == Atom.Status.SUPERSEDED:
            return f"{says} already." if matter.agreeing(atom) else f"{says}, and that stands."
        if head.authority > atom.authority:
            return f"{says}, which counts for more."
    if atom.status == Atom.Status.CONTESTED:
        return f"It holds from {_shown(atom.entity, atom.valid_from)} on."
    if atom.valid_until is None:
        return "What took its place is over."
    return f"It held until {_shown(atom.entity, atom.valid_until)}."


def _shown(entity: Entity, moment: datetime | None) -> str:
    return time_text(moment and moment.astimezone(entity.zone))
