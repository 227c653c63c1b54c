"""Claims as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.cursors import number_cursor
from memory.api.encoding import fields_of
from memory.claims.matching import Action
from memory.claims.observing import Observed, Outcome
from memory.claims.policies import Rules
from memory.claims.reading import ClaimRecord, ClaimsPage, claim_records
from memory.models import Authority, Entity
from memory.recall.short_ids import short_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimBody(ClaimRecord):
    """A claim, or another atom of its matter, which has no predicate; times in the entity's own zone."""

    short_id: str


class ObservedBody(TypedDict):
    """What became of an observation."""

    entity: str
    outcome: Outcome
    reason: str
    """Why, where that is not plain."""
    created: bool
    """Whether the claim was made by this observation."""
    claim: ClaimBody | None
    """The claim that says it; null when nothing is kept."""
    holds: ClaimBody | None
    """The claim that holds of the matter, if one does."""


class ClaimsBody(TypedDict):
    """A page of claims, in the order in which they were made."""

    entity: str
    total: int
    claims: list[ClaimBody]
    next_after: str | None


class ClaimHistoryBody(TypedDict):
    """All that was said about the matter of a claim."""

    entity: str
    claim: UUID
    history: list[ClaimBody]


class PolicyBody(TypedDict):
    """What is done with claims whose predicate fits a pattern."""

    pattern: str
    action: Action
    cardinality: Literal["one", "many"]
    """Whether one value holds of a subject, or many do at once."""
    asserted_by: list[str]
    """Authorities that may assert it, the highest first; none means all."""
    source: str
    """The live source that is asked for the value; empty without one."""


class PoliciesBody(TypedDict):
    """What the workspace decided about predicates; the most specific pattern that fits decides."""

    policies: list[PolicyBody]


def observed_body(entity_name: str, observed: Observed) -> ObservedBody:
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


def claims_body(entity: Entity, page: ClaimsPage) -> ClaimsBody:
    """The body of `/claims`."""
    return {
        "entity": entity.name,
        "total": page.total,
        "claims": [_claim_value(claim) for claim in page.claims],
        "next_after": number_cursor("claims", page.next_after),
    }


def history_body(entity: Entity, claim_id: UUID, history: Sequence[ClaimRecord]) -> ClaimHistoryBody:
    """The body of `/claims/{id}/history`."""
    return {"entity": entity.name, "claim": claim_id, "history": [_claim_value(claim) for claim in history]}


def policies_body(rules: Rules) -> PoliciesBody:
    """The body of `/policies`."""
    labels = {authority.value: authority.label for authority in Authority}
    return {
        "policies": [
            {
                "pattern": rule.pattern,
                "action": rule.action,
                "cardinality": "many" if rule.is_many else "one",
                "asserted_by": [labels[number] for number in sorted(rule.asserted_by, reverse=True)],
                "source": rule.source,
            }
            for rule in rules.rules
        ]
    }


def _claim_value(claim: ClaimRecord) -> ClaimBody:
    return ClaimBody(**fields_of(claim), short_id=short_id(claim.id))
