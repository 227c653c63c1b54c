"""What the doors of forgetting and erasing may be asked."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memory.api.requests import Asked, Moment, Name, PageSize, Words
from memory.stewardship.erasing import Scope
from memory.stewardship.forgetting import WORDS_LIMIT

MOST_IDS = 10_000
REASON_LIMIT = 500
TOKEN_LIMIT = 1_000

Ids = Annotated[tuple[UUID, ...], Field(max_length=MOST_IDS)]
Token = Annotated[str, Field(min_length=1, max_length=TOKEN_LIMIT)]


class ForgetAsked(Asked):
    """`POST /forget`."""

    text: Annotated[Words, Field(min_length=1, max_length=WORDS_LIMIT)]
    keep: Ids = ()
    """Of what was listed before: claims and messages that stay."""


class ForgetConfirmed(Asked):
    """`POST /forget/confirm`."""

    token: Token
    keep: Ids = ()


class EraseScope(BaseModel):
    """Which words are to go; `sessions` are names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["entity", "session", "messages", "period"]
    sessions: Annotated[tuple[Name, ...], Field(max_length=MOST_IDS)] = ()
    messages: Ids = ()
    since: Moment | None = None
    until: Moment | None = None

    def scope(self, sessions: tuple[UUID, ...]) -> Scope:
        """As the room takes it, with the ids of the sessions."""
        return Scope(self.kind, sessions=sessions, messages=self.messages, since=self.since, until=self.until)


class EraseAsked(Asked):
    """`POST /erase`."""

    scope: EraseScope
    reason: Annotated[Words, Field(max_length=REASON_LIMIT)] = ""


class EraseConfirmed(Asked):
    """`POST /erase/confirm`."""

    token: Token


class ErasuresAsked(BaseModel):
    """`GET /erasures`: of one entity, or of the whole workspace, those of entities that are gone too."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    entity: Name | None = None
    after: str | None = None
    limit: PageSize = 50
