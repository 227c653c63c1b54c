"""What the doors of sessions may be asked."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from memory.api.errors import RequestRefused
from memory.api.requests import PageSize
from memory.ingest.incoming import MESSAGES_PER_CALL, IncomingTurn
from memory.ingest.sessions import SessionWanted

ROOTS = "none"
TURNS = "turns"


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NothingAsked(_Asked):
    """A door that takes no parameters."""


class OpenAsked(_Asked):
    """`POST /sessions`: an entity by name, or by group and user."""

    group_id: str = ""
    user_id: str = ""
    entity: str | None = None
    external_id: str | None = None
    title: str = ""
    time_zone: str | None = None

    def wanted(self) -> SessionWanted:
        """The same as the room takes it."""
        return SessionWanted(
            group_id=self.group_id,
            user_id=self.user_id,
            entity_name=self.entity,
            external_id=self.external_id,
            title=self.title,
            time_zone=self.time_zone,
        )


class TurnsAsked(_Asked):
    """`GET /sessions/{id}/turns`."""

    after: str | None = None
    limit: PageSize = 50
    parent: UUID | Literal["none"] | None = Field(default=None, union_mode="left_to_right")
    """The turns under one turn; `none` for those under no other."""


class DigestsAsked(_Asked):
    """`GET /sessions/{id}/digests`."""

    versions: Literal["current", "all"] = "current"


class TurnsGiven(TypedDict):
    """`POST /sessions/{id}/turns` with several turns; a single one may be the body itself."""

    turns: Annotated[list[IncomingTurn], Field(min_length=1, max_length=MESSAGES_PER_CALL)]


def turn_items(body: dict[str, Any]) -> list[Any]:
    """The turns of a body, as yet unread: a list under `turns`, or the body as the only one."""
    if TURNS not in body:
        return [body]
    if set(body) != {TURNS}:
        others = ", ".join(sorted(set(body) - {TURNS}))[:200]
        raise RequestRefused(f"Unknown field: {others}. Beside turns none is taken.")
    if not isinstance(body[TURNS], list):
        raise RequestRefused("turns: has to be a list.")
    return list(body[TURNS])
