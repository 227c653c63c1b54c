"""What recall found, rendered, answered and traced, as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, NotRequired, cast
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.encoding import fields_of
from memory.models import Entity
from memory.recall.answering import Answer
from memory.recall.context import Context
from memory.recall.hits import ArmState, CitedMessage, Found, Hit, HitLayer
from memory.recall.records import Assertion, OutsideReceipt, TraceNode, TraceTree
from memory.recall.sharing import SharedFound
from memory.recall.short_ids import short_id

HIT_FIELDS = tuple(field.name for field in fields(Hit) if field.name != "messages")


@dataclass(frozen=True, slots=True, kw_only=True)
class HitBody:
    """One result: an atom with its messages, a raw message that no live atom covers, a section, a trait."""

    layer: HitLayer
    id: UUID
    """Of the atom, message, scene or trait."""
    short_id: str
    text: str
    score: float
    terms: Mapping[str, float]
    """What the score is made of."""
    citations: tuple[CitedMessage, ...]
    """An atom's messages, the best found first; a raw message itself."""
    is_raw: bool
    section: str
    title: str
    """Of the scene, for a section."""
    kind: str
    priority: int
    """0 to 100: importance, not confidence."""
    topic: str
    subject: str
    authority: str
    happened_from: date | None
    happened_until: date | None
    said_at: datetime | None
    """In the entity's own zone."""
    lines: tuple[UUID, ...]
    """A section's standing lines."""
    assertion: Assertion | None
    """Of an observed claim: subject, predicate, value and how long it holds."""
    scope: str
    """The situation that an instruction is bound to."""
    is_superseded: bool
    """A raw message that said a claim which no longer holds."""
    outside: tuple[OutsideReceipt, ...]
    """What an atom rests on that is not stored here."""


class FoundBody(TypedDict):
    """What one memory holds about a query, the best first."""

    entity: str
    hits: list[HitBody]
    arms: Mapping[str, ArmState]
    """An arm that is not `answered` had no part in the result."""
    unindexed: int
    """Rows that the index step had not reached; they were scanned."""
    languages: tuple[str, ...]


class RecallBody(FoundBody):
    """What memory holds about a query."""

    shared: NotRequired[list[FoundBody]]
    """With `shared`: what other entities' memories hold, each a group of its own with its own evidence."""


class ContextBody(TypedDict):
    """What an agent should be told before a task."""

    entity: str
    text: str
    sha256: str
    """Of the text."""
    tokens: int
    stable_prefix_bytes: int
    """So many bytes of the text, from the first on, depend on neither task nor clock."""
    manifest: Mapping[str, Any]
    """The account: blocks with ids, tokens, and what was left out and why."""
    use: NotRequired[UUID]
    """With `record_use`: feedback names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBody(Answer):
    """A reply in which every statement is cited."""

    entity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersBody(AnswerBody):
    """The same with what the shared memories answer, each by itself and with its own citations."""

    shared: tuple[AnswerBody, ...]


class TraceBody(TypedDict):
    """Two trees with the record at their roots."""

    entity: str
    down: TraceNode
    """What it rests on, down to the words."""
    up: TraceNode
    """What rests on it."""


def recall_body(entity: Entity, found: Found, shared: Sequence[SharedFound] | None = None) -> RecallBody:
    """The body of `/recall`, with what shared memories hold where that was asked for.

    An arm that is not `answered` had no part in the result.
    """
    body = cast(RecallBody, _found_value(entity.name, found))
    if shared is not None:
        body["shared"] = [_found_value(one.entity, one.found) for one in shared]
    return body


def _found_value(entity: str, found: Found) -> FoundBody:
    return {
        "entity": entity,
        "hits": [_hit_value(hit) for hit in found.hits],
        "arms": found.arms,
        "unindexed": found.unindexed,
        "languages": found.languages,
    }


def _hit_value(hit: Hit) -> HitBody:
    """A result; the messages that it rests on are its citations."""
    told = {name: getattr(hit, name) for name in HIT_FIELDS}
    return HitBody(**told, citations=hit.messages, short_id=short_id(hit.id))


def context_body(entity: Entity, context: Context, use: UUID | None = None) -> ContextBody:
    """The body of `/context`; `use` is the record of what was handed out, where one was made."""
    body: ContextBody = {
        "entity": entity.name,
        "text": context.text,
        "sha256": context.sha256,
        "tokens": context.tokens,
        "stable_prefix_bytes": context.stable_prefix_bytes,
        "manifest": context.manifest,
    }
    if use is not None:
        body["use"] = use
    return body


def answer_body(entity: Entity, answer: Answer) -> AnswerBody:
    """The body of `/answer`; without citations memory holds nothing about it, and `gaps` says so."""
    return AnswerBody(**fields_of(answer), entity=entity.name)


def answers_body(entity: Entity, answer: Answer, shared: Sequence[AnswerBody]) -> AnswersBody:
    """The body of `/answer` where shared memories were asked too."""
    return AnswersBody(**fields_of(answer), entity=entity.name, shared=tuple(shared))


def trace_body(entity: Entity, down: TraceTree, up: TraceTree) -> TraceBody:
    """The body of `/trace`: two trees with the record at their roots."""
    return {"entity": entity.name, "down": down.root, "up": up.root}
