"""Replies of forgetting and erasing as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from memory.api.cursors import id_cursor
from memory.models import Erasure
from memory.stewardship.forgetting import Proposal

ERASURES = "erasures"


def proposal_body(entity: str, proposal: Proposal) -> dict[str, Any]:
    """What was found for a request to forget, and the token that confirms it."""
    found = proposal.found
    return {
        "entity": entity,
        "matter": found.matter,
        "wants_old": found.wants_old,
        "matches": [asdict(match) for match in found.matches],
        "erasure": proposal.erasure and erasure_body(proposal.erasure),
        "token": proposal.token or None,
    }


def erasure_body(erasure: Erasure) -> dict[str, Any]:
    """An erase, planned or done: ids and counts, never words of the memory."""
    return {
        "id": erasure.pk,
        "scope": erasure.scope,
        "status": erasure.status,
        "counts": erasure.counts,
        "reason": erasure.reason,
        "by": erasure.by or (erasure.user and erasure.user.get_username()) or "",
        "key": erasure.key and erasure.key.label,
        "created_at": erasure.created_at,
        "expires_at": erasure.expires_at,
        "done_at": erasure.done_at,
    }


def erasures_body(erasures: Sequence[Erasure], next_after: UUID | None) -> dict[str, Any]:
    """A page of the audit, newest first."""
    return {
        "erasures": [erasure_body(erasure) for erasure in erasures],
        "next_after": id_cursor(ERASURES, next_after),
    }
