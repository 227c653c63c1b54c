"""What memory holds about a turn: what search finds, and what has to be known of it. Read, not yet chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from memory import queries
from memory.claims.graph import Receipt
from memory.models import Authority, Entity, Layer
from memory.recall.compiling.compiled import RecalledClaim
from memory.recall.compiling.request import CompileRequest
from memory.recall.context.prefix_blocks import Rule
from memory.recall.hits import Found, Hit
from memory.recall.search import Request, search

MOST_RESULTS = 40
CANDIDATES_PER_RESULT = 2.5
"""Half as many as recall alone takes: what stands far down is seldom told in a context."""
NOTHING_ASKED = Found(
    hits=(), arms={"words": "off", "meaning": "off", "related": "off", "unindexed": "answered"}
)


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was found, and what is known about it."""

    found: Found
    claims: Mapping[UUID, RecalledClaim] = field(default_factory=dict)
    """The claims among the hits."""
    atoms_of_lines: Mapping[UUID, tuple[tuple[UUID, str], ...]] = field(default_factory=dict)
    """The live atoms, with their texts, under each line of a section among the hits."""
    messages_of_atoms: Mapping[UUID, frozenset[UUID]] = field(default_factory=dict)
    """The messages that the rules and the atoms under lines cite."""


def recollect(
    entity: Entity,
    query: str,
    request: CompileRequest,
    rules: Sequence[Rule],
    languages: tuple[str, ...],
) -> Recollection:
    """Search as the strategy says, then read what is known of the results, there and back once."""
    if request.strategy == "graph" or not query:
        return Recollection(NOTHING_ASKED)
    layers = tuple(layer for layer in request.filters.layers if layer != Layer.TRAIT)
    found = search(
        entity,
        Request(
            query,
            limit=MOST_RESULTS,
            candidates_per_result=CANDIDATES_PER_RESULT,
            filters=replace(request.filters, layers=layers),
            uses_words=request.strategy != "vector",
            uses_meaning=request.strategy != "text",
            languages=languages,
        ),
    )
    return _known(entity, found, [rule.id for rule in rules if rule.id])


def _known(entity: Entity, found: Found, rules: Collection[UUID]) -> Recollection:
    texts = {hit.id: hit.text for hit in found.hits if hit.layer == "atom"}
    owner = {"workspace": entity.workspace_id, "entity": entity.pk}
    found_atoms = queries.array(texts)
    lines = queries.array(line for hit in found.hits for line in hit.lines)
    atoms, told, evidence = queries.kept_rows(
        ("compile_atoms", {**owner, "atoms": found_atoms}),
        ("compile_told", {**owner, "lines": lines}),
        (
            "compile_evidence",
            {**owner, "atoms": found_atoms, "rules": queries.array(rules), "lines": lines},
        ),
    )
    receipts = _receipts(evidence)
    return Recollection(
        found=found,
        claims={row[0]: _claim(row, texts[row[0]], receipts) for row in atoms},
        atoms_of_lines=_grouped(told),
        messages_of_atoms=_messages(evidence),
    )


def _claim(row: Sequence[Any], text: str, receipts: Mapping[UUID, Sequence[Receipt]]) -> RecalledClaim:
    id, subject_kind, subject_id, predicate, value, live_source, authority, valid_from, valid_until = row
    return RecalledClaim(
        id=id,
        subject_kind=subject_kind,
        subject_id=subject_id,
        predicate=predicate,
        value=queries.json_value(value),
        text=text,
        authority=Authority(authority).label,
        valid_from=valid_from,
        valid_until=valid_until,
        evidence=tuple(receipts.get(id, ())),
        live_source=live_source,
    )


def _receipts(rows: Sequence[Sequence[Any]]) -> dict[UUID, list[Receipt]]:
    grouped: dict[UUID, list[Receipt]] = {}
    for atom, message, correction, kind, reference, authority in rows:
        if message is not None:
            receipt = Receipt("message", str(message))
        elif correction is not None:
            receipt = Receipt("correction", str(correction))
        else:
            receipt = Receipt(kind, reference, Authority(authority).label)
        grouped.setdefault(atom, []).append(receipt)
    return grouped


def _messages(rows: Sequence[Sequence[Any]]) -> dict[UUID, frozenset[UUID]]:
    grouped: dict[UUID, set[UUID]] = {}
    for atom, message, *_ in rows:
        if message is not None:
            grouped.setdefault(atom, set()).add(message)
    return {atom: frozenset(messages) for atom, messages in grouped.items()}


def _grouped(rows: Sequence[Sequence[Any]]) -> dict[UUID, tuple[tuple[UUID, str], ...]]:
    grouped: dict[UUID, tuple[tuple[UUID, str], ...]] = {}
    for line, atom, text in rows:
        grouped[line] = (*grouped.get(line, ()), (atom, text))
    return grouped


def hits_of(found: Found, layer: str) -> list[Hit]:
    """The hits of one layer, in their order."""
    return [hit for hit in found.hits if hit.layer == layer]
