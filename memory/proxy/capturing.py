"""Storing what was said beside the chat, never in its way: tried again while memory is down."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import DatabaseError

from memory.ingest.access import Access, UnknownEntityError
from memory.ingest.entities import ensure_entity
from memory.ingest.problems import IngestError
from memory.models import Entity
from memory.proxy.accounting import record_chat
from memory.proxy.callers import entity_of
from memory.proxy.conversation import Said
from memory.proxy.errors import Refused
from memory.proxy.placing import Place, place_of
from memory.proxy.replies import Reply
from memory.proxy.storing import store_turns
from memory.proxy.threads import Threads

logger = logging.getLogger(__name__)

PAUSES_SECONDS = (1.0, 5.0, 20.0, 80.0)
MOST_WAITING = 1_000
"""So many chats may wait for memory to come back; those beyond it are not stored, and the log says so."""
LONGEST_END_SECONDS = 10.0


@dataclass(slots=True)
class Heard:
    """What is known of a chat that is to be stored."""

    access: Access
    entity_name: str | None
    session: str | None
    is_retried: bool
    turns: tuple[Said, ...]
    words: str = ""
    """Of the whole request, to estimate what it cost where the endpoint does not say."""
    milliseconds: int = 0
    place: Place | None = None


class Captures:
    """The chats of this process that are being stored."""

    def __init__(self, threads: Threads) -> None:
        self.threads = threads
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_ending = asyncio.Event()

    def of(self, heard: Heard) -> Capture:
        """One chat's storing."""
        return Capture(self, heard)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Have it done while the chat goes on."""
        if len(self._tasks) >= MOST_WAITING:
            work.close()
            logger.error("a chat was not stored: too many wait for memory")
            return
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def pause(self, seconds: float) -> None:
        """Wait before the next try, but not beyond the end of the server."""
        try:
            await asyncio.wait_for(self.is_ending.wait(), seconds)
        except TimeoutError:
            return

    async def end(self) -> None:
        """Give what is under way a last chance."""
        self.is_ending.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=LONGEST_END_SECONDS)
            for task in late:
                task.cancel()


class Capture:
    """Stores a chat's turns: those of the user when they come, the reply when it has ended."""

    def __init__(self, captures: Captures, heard: Heard) -> None:
        self._captures = captures
        self._heard = heard
        self._one_at_a_time = asyncio.Lock()

    def request(self) -> None:
        """Have the turns of the request stored."""
        if self._heard.turns:
            self._captures.start(self._stored(None, ""))

    def reply(self, reply: Reply | None, *, problem: str = "", milliseconds: int = 0) -> None:
        """Have the reply stored behind them; `problem` says why it is not whole."""
        if self._heard.turns and reply is not None:
            self._heard.milliseconds = milliseconds
            self._captures.start(self._stored(reply, problem))

    async def _stored(self, reply: Reply | None, problem: str) -> None:
        async with self._one_at_a_time:
            for pause in (*PAUSES_SECONDS, None):
                try:
                    await self._captures.threads.write(partial(store_heard, self._heard, reply, problem))
                    return
                except DatabaseError as error:
                    failure: Exception = error
                except (IngestError, UnknownEntityError, Refused) as error:
                    logger.error("a chat was refused by memory", extra={"error_kind": type(error).__name__})
                    return
                if pause is None or self._captures.is_ending.is_set():
                    logger.error("a chat was not stored", exc_info=failure)
                    return
                await self._captures.pause(pause)


def store_heard(heard: Heard, reply: Reply | None, problem: str) -> None:
    """Store a request's turns, and the reply behind them with what it cost."""
    entity = _entity(heard)
    if heard.place is None:
        heard.place = place_of(entity, heard.turns, session=heard.session, is_retried=heard.is_retried)
    turns, place = heard.turns, heard.place
    if reply is not None:
        said = reply.noted(problem)
        turns, place = (*turns, said), place.followed_by(said)
    store_turns(access=heard.access, entity_name=entity.name, place=place, turns=turns)
    if reply is not None:
        record_chat(entity, reply, asked=heard.words, milliseconds=heard.milliseconds)


def _entity(heard: Heard) -> Entity:
    """The entity; one that the key may make is made with its first words."""
    found = entity_of(heard.access, heard.entity_name)
    if found is None:
        found = ensure_entity(workspace=heard.access.workspace, name=str(heard.entity_name))
        found.workspace = heard.access.workspace
    return found
