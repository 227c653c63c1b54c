"""Opening sessions: new ones, and those that any other process has opened."""

from __future__ import annotations

from secrets import token_hex
from typing import Any, Generic, TypeVar
from uuid import UUID

from memory.client.asking import Asking
from memory.client.exchange import Flow, Limits
from memory.client.given import told
from memory.client.results import read
from memory.client.running import Asynchronous, Blocking, door
from memory.client.sessions import AsyncSession, Session, SessionDoors
from memory.client.turn_results import SessionRecord
from memory.client.wires import AsyncWire, BlockingWire

S = TypeVar("S", bound=SessionDoors)


class SessionsDoors(Asking, Generic[S]):
    """Opening sessions: `memory.session`."""

    _made: type[S]

    def __init__(self, wire: Any, limits: Limits) -> None:
        self._wire = wire
        self._limits = limits

    @door
    def create(
        self,
        *,
        group_id: str = "",
        user_id: str = "",
        entity: str | None = None,
        external_id: str | None = None,
        title: str = "",
        time_zone: str | None = None,
    ) -> Flow[S]:
        """A session for an entity by name, or by group and user.

        With an `external_id` the same session for everybody who names it; without one a new session, made
        once even where the reply gets lost. A session that is there is resumed, also one that has ended.
        """
        own = external_id if external_id is not None else f"session-{token_hex(8)}"
        given = {"group_id": group_id, "user_id": user_id, "title": title}
        body = told(**given, entity=entity, external_id=own, time_zone=time_zone)
        reply = yield from self._ask("POST", "sessions", body=body)
        is_new = reply.status == 201 or external_id is None
        record = read(SessionRecord, reply.value())
        return self._made(self._wire, self._limits, record, is_new=is_new)

    @door
    def resume(self, session_id: UUID | str) -> Flow[S]:
        """The session of this id; NotFoundError for one that the key does not open."""
        wanted = UUID(str(session_id))
        record = yield from self._read(SessionRecord, "GET", f"sessions/{wanted}")
        return self._made(self._wire, self._limits, record, is_new=False)


class Sessions(SessionsDoors[Session], Blocking):
    """Opens sessions from the calling thread."""

    _made = Session
    _wire: BlockingWire


class AsyncSessions(SessionsDoors[AsyncSession], Asynchronous):
    """Opens sessions, awaited."""

    _made = AsyncSession
    _wire: AsyncWire
