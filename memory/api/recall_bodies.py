"""What recall found, rendered, answered and traced, as JSON values."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from memory.models import Entity
from memory.recall.answering import Answer
from memory.recall.context import Context
from memory.recall.hits import CitedMessage, Found, Hit
from memory.recall.records import TraceTree
from memory.recall.short_ids import short_id

# Read one by one: `asdict` copies every value of a result, which takes longer than finding it.
HIT_FIELDS = tuple(field.name for field in fields(Hit) if field.name != "messages")
CITED_FIELDS = tuple(field.name for field in fields(CitedMessage))


def recall_body(entity: Entity, found: Found) -> dict[str, Any]:
    """The body of `/recall`; an arm that is not `answered` had no part in the result."""
    return {
        "entity": entity.name,
        "hits": [_hit_value(hit) for hit in found.hits],
        "arms": found.arms,
        "unindexed": found.unindexed,
        "languages": found.languages,
    }


def _hit_value(hit: Hit) -> dict[str, Any]:
    """A result; the messages that it rests on are its citations."""
    value = {name: getattr(hit, name) for name in HIT_FIELDS}
    return {
        **value,
        "assertion": asdict(hit.assertion) if hit.assertion is not None else None,
        "outside": [asdict(receipt) for receipt in hit.outside],
        "citations": [{name: getattr(cited, name) for name in CITED_FIELDS} for cited in hit.messages],
        "short_id": short_id(hit.id),
    }


def context_body(entity: Entity, context: Context) -> dict[str, Any]:
    """The body of `/context`."""
    return {
        "entity": entity.name,
        "text": context.text,
        "sha256": context.sha256,
        "tokens": context.tokens,
        "stable_prefix_bytes": context.stable_prefix_bytes,
        "manifest": context.manifest,
    }


def answer_body(entity: Entity, answer: Answer) -> dict[str, Any]:
    """The body of `/answer`; without citations memory holds nothing about it, and `gaps` says so."""
    return {"entity": entity.name, **asdict(answer)}


def trace_body(entity: Entity, down: TraceTree, up: TraceTree) -> dict[str, Any]:
    """The body of `/trace`: two trees with the record at their roots."""
    return {"entity": entity.name, "down": asdict(down.root), "up": asdict(up.root)}
