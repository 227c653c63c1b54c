"""The command `forget`: what is meant is listed, and goes once the person has confirmed it."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from memory.models import Entity
from memory.recall.finding import find
from memory.recall.short_ids import read_id
from memory.recall.trace import AmbiguousIdError, NoRecordError
from memory.stewardship.forgetting import confirm_forgetting, propose_forgetting
from memory.walkthrough.access import Forgetting, Forgotten
from memory.walkthrough.procedures import terminal_actor

FORGETTABLE = ("atom", "message")


def proposed(entity: Entity, words: str) -> Forgetting:
    """What the words mean, and the token that confirms it; erases nothing."""
    proposal = propose_forgetting(entity=entity, words=words, actor=terminal_actor())
    return Forgetting(
        matter=proposal.found.matter,
        wants_old=proposal.found.wants_old,
        matches=proposal.found.matches,
        counts=proposal.erasure.counts if proposal.erasure else {},
        token=proposal.token,
    )


def confirmed(entity: Entity, token: str, keep: Iterable[str]) -> Forgotten:
    """Erase what was listed, but for the claims and messages that the ids, or ends of them, name."""
    kept = [_row(entity, id_part) for id_part in keep]
    done = confirm_forgetting(entity=entity, token=token, actor=terminal_actor(), keep=kept)
    return Forgotten(erasure=done.pk, counts=done.counts)


def _row(entity: Entity, id_part: str) -> UUID:
    found = [row for row in find(entity, read_id(id_part)) if row.kind in FORGETTABLE]
    if not found:
        raise NoRecordError(f"No claim or message has the id {id_part}.")
    if len(found) > 1:
        raise AmbiguousIdError(tuple(found))
    return found[0].id
