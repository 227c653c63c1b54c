"""One observation as a caller hands it in, and why it may be refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.claims.matching import PREDICATE_SHAPE, is_predicate
from memory.claims.values import VALUE_BYTES_LIMIT
from memory.ingest.instants import in_utc
from memory.ingest.problems import Problem
from memory.ingest.storable import UNCLEAR, is_blank, is_unclear, json_problem, text_problem
from memory.models import Authority
from memory.models.atoms import PREDICATE_LIMIT, SUBJECT_ID_LIMIT, SUBJECT_KIND_LIMIT

OUTSIDE_KIND_LIMIT = 64
REFERENCE_LIMIT = 500
EVIDENCE_LIMIT = 20
SAID_AHEAD_LIMIT = timedelta(days=1)
"""Clocks differ; what is said later than this would stand in the way of everything said until then."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a claim is about: `customer` and `customer-123`."""

    kind: str
    identifier: str


@dataclass(frozen=True, slots=True)
class OutsideEvidence:
    """Something that is not stored here, such as an event of a tool; `authority` says how much it counts."""

    kind: str
    reference: str
    authority: Authority = Authority.APPLICATION


@dataclass(frozen=True, slots=True)
class MessageEvidence:
    """A stored message of the same entity."""

    message: UUID


@dataclass(frozen=True, slots=True)
class Observation:
    """Somebody asserts that a predicate of a subject has a value, and shows what that rests on.

    `said_at` orders it among others. Left out it is the time of the messages where the evidence is messages
    alone, else now. Times have a zone; what will hold later has a `valid_from`, and is said now.
    """

    subject: Subject
    predicate: str
    value: Any
    authority: Authority
    evidence: tuple[OutsideEvidence | MessageEvidence, ...]
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    said_at: datetime | None = None


def observation_problems(observation: Observation) -> list[Problem]:
    """What is wrong with an observation but for its value; empty when nothing is."""
    found = [
        *_name_problems("subject.kind", observation.subject.kind, SUBJECT_KIND_LIMIT),
        *_identifier_problems(observation.subject.identifier),
        *_name_problems("predicate", observation.predicate, PREDICATE_LIMIT),
        *_authority_problems("authority", observation.authority),
        *_time_problems(observation),
        *_evidence_problems(observation),
    ]
    return [Problem(None, field, problem) for field, problem in found]


def value_problem(value: Any) -> str | None:
    """Why a value cannot be kept, or None when it can."""
    if value is None:
        return "is null: a claim says something"
    try:
        problem = json_problem(value, bytes_limit=VALUE_BYTES_LIMIT)
    except (TypeError, ValueError):
        return "holds a number of too many digits, or names that are no texts"
    return problem or _key_problem(value)


def _key_problem(value: Any) -> str | None:
    """JSON knows texts alone as names; Python would make others of them without a word."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            return "holds a name that is no text"
        value = list(value.values())
    problems = (_key_problem(item) for item in value) if isinstance(value, list) else ()
    return next((problem for problem in problems if problem), None)


Found = Iterator[tuple[str, str]]


def _name_problems(field: str, name: str, limit: int) -> Found:
    if len(name) > limit:
        yield field, f"has {len(name)} characters, at most {limit} are taken"
    elif not is_predicate(name):
        yield field, f"has to be {PREDICATE_SHAPE}"


def _identifier_problems(identifier: str) -> Found:
    field = "subject.identifier"
    if not 1 <= len(identifier) <= SUBJECT_ID_LIMIT:
        yield field, f"has {len(identifier)} characters, 1 to {SUBJECT_ID_LIMIT} are taken"
    elif is_unclear(identifier):
        yield field, UNCLEAR
    elif is_blank(identifier):
        yield field, "is blank"


def _authority_problems(field: str, authority: int) -> Found:
    if authority not in Authority.values:
        yield field, "is none of application, tool, user and inference"


def _time_problems(observation: Observation) -> Found:
    times = {name: getattr(observation, name) for name in ("valid_from", "valid_until", "said_at")}
    problems = {name: problem for name, time in times.items() if (problem := _instant_problem(time))}
    yield from problems.items()
    said_at = observation.said_at
    if said_at is not None and "said_at" not in problems and is_too_far_ahead(said_at):
        yield "said_at", "lies more than a day ahead; what holds from then on has a valid_from"
    begins, ends = observation.valid_from, observation.valid_until
    if not problems and begins is not None and ends is not None and ends <= begins:
        yield "valid_until", "has to be later than valid_from"


def is_too_far_ahead(said_at: datetime) -> bool:
    """Whether nobody can have said it yet, however the clocks differ."""
    return said_at > timezone.now() + SAID_AHEAD_LIMIT


def _instant_problem(time: datetime | None) -> str | None:
    if time is None:
        return None
    if time.utcoffset() is None:
        return "has no time zone"
    try:
        in_utc(time)
    except ValueError as error:
        return str(error)
    return None


def _evidence_problems(observation: Observation) -> Found:
    count = len(observation.evidence)
    if not 1 <= count <= EVIDENCE_LIMIT:
        yield "evidence", f"holds {count} items, 1 to {EVIDENCE_LIMIT} are taken"
        return
    for place, item in enumerate(observation.evidence):
        if isinstance(item, OutsideEvidence):
            yield from _outside_problems(f"evidence[{place}]", item)


def _outside_problems(field: str, item: OutsideEvidence) -> Found:
    limits = {"kind": (item.kind, OUTSIDE_KIND_LIMIT), "reference": (item.reference, REFERENCE_LIMIT)}
    for name, (text, limit) in limits.items():
        if len(text) > limit:
            yield f"{field}.{name}", f"has {len(text)} characters, at most {limit} are taken"
        elif problem := text_problem(text) or ("is blank" if is_blank(text) else None):
            yield f"{field}.{name}", problem
    yield from _authority_problems(f"{field}.authority", item.authority)
