"""A session of turns: added to, compiled, folded, ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Final, Literal
from uuid import UUID

from memory.client.asking import MESSAGES_PER_CALL, Asking, listed, observation_sent
from memory.client.claim_results import Observed
from memory.client.errors import ParkedError, StillWaitingError
from memory.client.exchange import Flow, Limits, Pause
from memory.client.given import Authority, Evidence, NewTurn, Role, SubjectRef, names, told
from memory.client.running import Asynchronous, Blocking, Pages, door, listing
from memory.client.turn_results import AddedTurn, Context, Digest, SessionRecord, Turn
from memory.client.wires import AsyncWire, BlockingWire

WAIT_SECONDS = 60.0
FIRST_LOOK_SECONDS = 0.1
LONGEST_LOOK_SECONDS = 2.0

Strategy = Literal["text", "vector", "hybrid", "graph"]


class _Now(Enum):
    NOW = "now"


NOW: Final = _Now.NOW
"""The time of a turn that is said as it is added."""


class SessionDoors(Asking):
    """What a session can do; see `Session` and `AsyncSession`."""

    _wire: Any

    def __init__(self, wire: Any, limits: Limits, record: SessionRecord, *, is_new: bool) -> None:
        self._wire = wire
        self._limits = limits
        self.record = record
        """The session as the server last told it."""
        self.is_new = is_new
        """Whether it was made by the call that gave it."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.id)!r}, entity={self.entity!r})"

    @property
    def id(self) -> UUID:
        """Enough to resume the session from any process."""
        return self.record.id

    @property
    def external_id(self) -> str:
        """The name that `create` finds it by."""
        return self.record.external_id

    @property
    def entity(self) -> str:
        """Whose memory it is."""
        return self.record.entity

    @property
    def _path(self) -> str:
        return f"sessions/{self.record.id}"

    @door
    def add_turn(
        self,
        *,
        role: Role,
        content: str | None = "",
        speaker: str = "",
        tool_calls: Sequence[Any] = (),
        tool_call_id: str = "",
        tool_name: str = "",
        parent: UUID | str | None = None,
        attachment_text: str = "",
        metadata: Mapping[str, Any] | None = None,
        occurred_at: datetime | _Now | None = NOW,
        dedupe_key: str | None = None,
    ) -> Flow[AddedTurn]:
        """Store one turn behind those that are there.

        `parent` is the id of an earlier turn, for work that belongs to it. `occurred_at` None means that
        nobody knows when it was said. The turn is stored once even where the reply gets lost and the call is
        tried again; with a `dedupe_key` of your own, also when you call again.
        """
        given = {
            "speaker": speaker,
            "tool_calls": tool_calls,
            "tool_call_id": tool_call_id,
            "tool_name": tool_name,
            "parent": parent,
            "attachment_text": attachment_text,
            "metadata": metadata,
            "dedupe_key": dedupe_key,
        }
        fields = {name: value for name, value in given.items() if value}
        times = {} if occurred_at is NOW else {"occurred_at": occurred_at}
        turn = NewTurn.model_validate({"role": role, "content": content, **fields, **times})
        added = yield from self._add([turn])
        return added[0]

    @door
    def add_turns(self, turns: Iterable[NewTurn]) -> Flow[tuple[AddedTurn, ...]]:
        """Store turns in their order, a hundred at a time; each hundred is stored whole or not at all."""
        return (yield from self._add(list(turns)))

    def _add(self, turns: Sequence[NewTurn]) -> Flow[tuple[AddedTurn, ...]]:
        sent = [turn.sent() for turn in turns]
        added: tuple[AddedTurn, ...] = ()
        for start in range(0, len(sent), MESSAGES_PER_CALL):
            body = {"turns": sent[start : start + MESSAGES_PER_CALL]}
            reply = yield from self._ask("POST", f"{self._path}/turns", body=body)
            added += listed(AddedTurn, reply, "turns")
        return added

    @listing
    def turns(self, *, parent: UUID | str | None = None, limit: int | None = None) -> Pages[Turn]:
        """The turns in their order, page by page; with `parent` those under one (`none`: the roots)."""
        return self._pages(Turn, f"{self._path}/turns", "turns", limit=limit, query=told(parent=parent))

    @door
    def compile_context(
        self,
        query: str | None = None,
        *,
        strategy: Strategy | None = None,
        depth: int | None = None,
        budget: int | None = None,
        layers: Sequence[str] | str = (),
        kinds: Sequence[str] | str = (),
        topics: Sequence[str] | str = (),
        since: datetime | None = None,
        until: datetime | None = None,
        rules_floor: int | None = None,
        as_of: datetime | None = None,
        live: bool = True,
        model: str | None = None,
        record_use: bool = False,
        keep_text: bool = False,
    ) -> Flow[Context]:
        """The chat messages for the next reply, within a budget of tokens; no model is asked.

        Without a `query` the newest words of a user are taken. What is not given is left to the server. With
        `record_use` it notes what it handed out, and `use` of the result names it for feedback.
        """
        body = told(
            query=query,
            strategy=strategy,
            depth=depth,
            budget=budget,
            layers=names(layers),
            kinds=names(kinds),
            topics=names(topics),
            since=since,
            until=until,
            rules_floor=rules_floor,
            as_of=as_of,
            live=live,
            model=model,
            record_use=record_use or None,
            keep_text=keep_text or None,
        )
        return (yield from self._read(Context, "POST", f"{self._path}/context", body=body))

    @door
    def observe(
        self,
        *,
        subject: SubjectRef,
        predicate: str,
        value: Any,
        authority: Authority | str,
        evidence: Iterable[Evidence],
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        said_at: datetime | None = None,
    ) -> Flow[Observed]:
        """Record that a predicate of a subject has a value, and what that rests on: `claim, outcome = ...`.

        The same observation twice is one claim.
        """
        times = {"valid_from": valid_from, "valid_until": valid_until, "said_at": said_at}
        body = observation_sent(subject, predicate, value, authority, evidence, times)
        return (yield from self._observe(f"{self._path}/claims", **body))

    @door
    def compact(self, *, timeout_seconds: float = WAIT_SECONDS) -> Flow[SessionRecord]:
        """Have the older turns folded into the summary, and wait for it.

        StillWaitingError when it takes longer (it goes on all the same), ParkedError when it failed.
        """
        yield from self._tell("compact")
        return (yield from self._settled(timeout_seconds))

    @door
    def compact_async(self) -> Flow[SessionRecord]:
        """The same without waiting: a worker folds off the turn."""
        return (yield from self._tell("compact"))

    @door
    def end(self, *, wait: bool = False, timeout_seconds: float = WAIT_SECONDS) -> Flow[SessionRecord]:
        """Seal the session: no turn comes after. With `wait` until its brief is written.

        Ending it again changes nothing. Errors of waiting are those of `compact`.
        """
        record = yield from self._tell("end")
        return (yield from self._settled(timeout_seconds)) if wait else record

    @door
    def read(self) -> Flow[SessionRecord]:
        """The session as it stands now, with its summary and its brief."""
        record = yield from self._read(SessionRecord, "GET", self._path)
        self.record = record
        return record

    @door
    def digests(self, *, versions: Literal["current", "all"] = "current") -> Flow[tuple[Digest, ...]]:
        """Summary and brief with the messages that each covers; with `all` the earlier versions too."""
        reply = yield from self._ask("GET", f"{self._path}/digests", query={"versions": versions})
        return listed(Digest, reply, "digests")

    def _tell(self, word: str) -> Flow[SessionRecord]:
        record = yield from self._read(SessionRecord, "POST", f"{self._path}/{word}", body={})
        self.record = record
        return record

    def _settled(self, timeout_seconds: float) -> Flow[SessionRecord]:
        """Look until compaction has nothing to do, ever less often."""
        ends_at = self._limits.clock() + timeout_seconds
        pause = FIRST_LOOK_SECONDS
        while self.record.compaction == "waiting":
            left = ends_at - self._limits.clock()
            if left <= 0:
                raise StillWaitingError("The session still waits for a worker; the work goes on without you.")
            yield Pause(min(pause, left))
            pause = min(LONGEST_LOOK_SECONDS, pause * 1.5)
            self.record = yield from self._read(SessionRecord, "GET", self._path)
        if self.record.compaction == "parked":
            raise ParkedError("Folding the session failed; an operator sees why among the runs.")
        return self.record


class Session(SessionDoors, Blocking):
    """A session, from the calling thread."""

    _wire: BlockingWire


class AsyncSession(SessionDoors, Asynchronous):
    """A session, awaited."""

    _wire: AsyncWire
