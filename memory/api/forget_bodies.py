"""Replies of forgetting and erasing as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from typing_extensions import TypedDict

from memory.api.cursors import id_cursor
from memory.models import Erasure
from memory.stewardship.forgetting import Proposal
from memory.stewardship.forgetting_records import Match

ERASURES = "erasures"


class ErasureBody(TypedDict):
    """An erase, planned or done: ids and counts, never words of the memory."""

    id: UUID
    scope: str
    """What was to go: a whole entity, sessions, messages or a period."""
    status: str
    counts: Mapping[str, int]
    """Rows of each sort that go, or went."""
    reason: str
    by: str
    key: str | None
    """Label of the key that asked for it."""
    created_at: datetime
    expires_at: datetime
    """Until then a plan may be confirmed."""
    done_at: datetime | None


class ProposalBody(TypedDict):
    """What was found for a request to forget."""

    entity: str
    matter: str
    """What the words were taken to mean."""
    wants_old: bool
    """Whether only what no longer holds was meant."""
    matches: tuple[Match, ...]
    erasure: ErasureBody | None
    """The plan; null when nothing is chosen."""
    token: str | None
    """Confirms the plan once."""


class ErasedBody(TypedDict):
    """An erase that was done."""

    entity: str
    erasure: ErasureBody


class PlannedBody(ErasedBody):
    """A plan to erase, and what confirms it once."""

    token: str


class ErasuresBody(TypedDict):
    """A page of the audit, newest first."""

    erasures: list[ErasureBody]
    next_after: str | None


def proposal_body(entity: str, proposal: Proposal) -> ProposalBody:
    """What was found for a request to forget, and the token that confirms it."""
    found = proposal.found
    return {
        "entity": entity,
        "matter": found.matter,
        "wants_old": found.wants_old,
        "matches": found.matches,
        "erasure": erasure_body(proposal.erasure) if proposal.erasure else None,
        "token": proposal.token or None,
    }


def erasure_body(erasure: Erasure) -> ErasureBody:
    """An erase, planned or done."""
    return {
        "id": erasure.pk,
        "scope": erasure.scope,
        "status": erasure.status,
        "counts": erasure.counts,
        "reason": erasure.reason,
        "by": erasure.by or (erasure.user and erasure.user.get_username()) or "",
        "key": erasure.key.label if erasure.key else None,
        "created_at": erasure.created_at,
        "expires_at": erasure.expires_at,
        "done_at": erasure.done_at,
    }


def erased_body(entity: str, erasure: Erasure) -> ErasedBody:
    """The body of an erase that was confirmed."""
    return {"entity": entity, "erasure": erasure_body(erasure)}


def planned_body(entity: str, erasure: Erasure, token: str) -> PlannedBody:
    """The body of an erase that waits to be confirmed."""
    return {"entity": entity, "erasure": erasure_body(erasure), "token": token}


def erasures_body(erasures: Sequence[Erasure], next_after: UUID | None) -> ErasuresBody:
    """A page of the audit, newest first."""
    return {
        "erasures": [erasure_body(erasure) for erasure in erasures],
        "next_after": id_cursor(ERASURES, next_after),
    }
