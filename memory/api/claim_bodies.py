"""Claims as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from memory.api.cursors import number_cursor
from memory.claims.observing import Observed
from memory.claims.policies import Rules, rule_values
from memory.claims.reading import ClaimRecord, ClaimsPage, claim_records
from memory.models import Authority, Entity
from memory.recall.short_ids import short_id


def observed_body(entity_name: str, observed: Observed) -> dict[str, Any]:
    """What became of an observation: the claim that says it, and the one that holds."""
    rows = [atom for atom in (observed.atom, observed.holds) if atom is not None]
    entity = rows[0].entity if rows else None
    claims = {claim.id: _claim_value(claim) for claim in (claim_records(entity, rows) if entity else ())}
    return {
        "entity": entity_name,
        "outcome": observed.outcome,
        "reason": observed.reason,
        "created": observed.is_new,
        "claim": claims[observed.atom.pk] if observed.atom is not None else None,
        "holds": claims[observed.holds.pk] if observed.holds is not None else None,
    }


def claims_body(entity: Entity, page: ClaimsPage) -> dict[str, Any]:
    """The body of `/claims`."""
    return {
        "entity": entity.name,
        "total": page.total,
        "claims": [_claim_value(claim) for claim in page.claims],
        "next_after": number_cursor("claims", page.next_after),
    }


def history_body(entity: Entity, claim_id: UUID, history: Sequence[ClaimRecord]) -> dict[str, Any]:
    """The body of `/claims/{id}/history`."""
    return {"entity": entity.name, "claim": claim_id, "history": [_claim_value(claim) for claim in history]}


def policies_body(rules: Rules) -> dict[str, Any]:
    """The body of `/policies`."""
    labels = {authority.value: authority.label for authority in Authority}
    return {"policies": rule_values(rules, labels)}


def _claim_value(claim: ClaimRecord) -> dict[str, Any]:
    return {**asdict(claim), "short_id": short_id(claim.id)}
