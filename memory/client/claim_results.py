"""What claims give back: the claims themselves, and what became of an observation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, Self
from uuid import UUID

from memory.client.errors import ServerError
from memory.client.given import Authority, SubjectRef
from memory.client.results import Receipt, Result, read


class Claim(Result):
    """One claim with its state and what it rests on."""

    id: UUID
    short_id: str = ""
    seq: int
    chain: UUID
    """All claims of one matter share it."""
    subject: SubjectRef | None = None
    predicate: str = ""
    value: Any = None
    live_source: str = ""
    """Where a policy has the value fetched instead of stored."""
    text: str
    authority: Authority
    status: str
    superseded_by: UUID | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    said_at: datetime | None = None
    last_said_at: datetime | None = None
    created_at: datetime
    evidence: tuple[Receipt, ...] = ()


class Outcome(str):
    """What became of an observation, as the server's word for it, with why beside it.

    `stored`, `replaced`, `repeated`, `contested`, `history`, `referenced` or `ignored`. A call that was tried
    again after its reply had got lost says `repeated`, since the first try had stored it.
    """

    __slots__ = ("created", "holds", "reason")
    reason: str
    created: bool
    """Whether this call made the claim."""
    holds: Claim | None
    """The claim that holds of the matter: the same one, unless it is contested or history."""

    def __new__(
        cls, word: str, *, reason: str = "", created: bool = False, holds: Claim | None = None
    ) -> Self:
        """The word with its reasons."""
        made = super().__new__(cls, word)
        made.reason, made.created, made.holds = reason, created, holds
        return made


class Observed(NamedTuple):
    """The claim that says it (None where nothing is kept), and what became of the observation."""

    claim: Claim | None
    outcome: Outcome


def read_observed(value: Any) -> Observed:
    """The reply to an observation; ServerError when it is none."""
    if not isinstance(value, Mapping) or "outcome" not in value:
        raise ServerError("The reply is no Observed: outcome.")
    claim, holds = value.get("claim"), value.get("holds")
    outcome = Outcome(
        str(value["outcome"]),
        reason=str(value.get("reason", "")),
        created=bool(value.get("created")),
        holds=read(Claim, holds) if holds else None,
    )
    return Observed(read(Claim, claim) if claim else None, outcome)
