"""Running a memory: attempts, what waits, parked batches, keys, and forgetting in two steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memory.client.asking import Asking
from memory.client.exchange import Flow
from memory.client.given import names, told
from memory.client.operation_results import (
    ErasedReply,
    Erasure,
    Forgetting,
    FullRun,
    IssuedKey,
    Key,
    Link,
    ParkedBatch,
    Retried,
    Run,
    Work,
)
from memory.client.running import Pages, door, listing


class OperationDoors(Asking):
    """The workshop behind the memory."""

    @listing
    def runs(
        self,
        *,
        entity: str | None = None,
        step: Sequence[str] | str = (),
        state: Sequence[str] | str = (),
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
    ) -> Pages[Run]:
        """Attempts of steps, newest first."""
        query = told(entity=entity, step=names(step), state=names(state), since=since, until=until)
        return self._pages(Run, "runs", "runs", limit=limit, query=query)

    @door
    def run(self, run_id: UUID | str) -> Flow[FullRun]:
        """An attempt with its decisions, item by item."""
        return (yield from self._read(FullRun, "GET", f"runs/{UUID(str(run_id))}"))

    @listing
    def work(
        self,
        *,
        entity: str | None = None,
        step: Sequence[str] | str = (),
        state: Sequence[str] | str = (),
        limit: int | None = None,
    ) -> Pages[Work]:
        """The steps of entities; `state` is waiting, due, leased, failing or paused."""
        query = told(entity=entity, step=names(step), state=names(state))
        return self._pages(Work, "work", "work", limit=limit, query=query)

    @listing
    def parked(
        self, *, entity: str | None = None, step: Sequence[str] | str = (), limit: int | None = None
    ) -> Pages[ParkedBatch]:
        """Batches that steps could not read and set aside, those that wait longest first."""
        query = told(entity=entity, step=names(step))
        return self._pages(ParkedBatch, "parked", "parked", limit=limit, query=query)

    @door
    def retry_batch(self, run_id: UUID | str) -> Flow[Retried]:
        """Put what one run set aside back in line; scope admin. NotFoundError where nothing is."""
        return (yield from self._read(Retried, "POST", f"parked/{UUID(str(run_id))}/retry", body={}))

    @door
    def retry_parked(self, *, entity: str, step: str) -> Flow[Retried]:
        """Put all that a step of an entity set aside back in line; scope admin."""
        body = {"entity": entity, "step": step}
        return (yield from self._read(Retried, "POST", "parked/retry", body=body))

    @listing
    def keys(self, *, limit: int | None = None) -> Pages[Key]:
        """The workspace's keys, newest first; scope admin and a key that is bound to no entities."""
        return self._pages(Key, "keys", "keys", limit=limit, query={})

    @door
    def issue_key(
        self,
        label: str,
        *,
        scopes: Sequence[str] | str = ("read", "write"),
        entities: Sequence[str] | str = (),
        expires_at: datetime | None = None,
        lifetime_seconds: int | None = None,
    ) -> Flow[IssuedKey]:
        """Make a key that opens the named entities, or all without names.

        It is sent once: a second try would make a second key. After an UnreachableError look among the keys
        and revoke the one whose token you did not get.
        """
        body = told(
            label=label,
            scopes=names(scopes),
            entities=names(entities),
            expires_at=expires_at,
            lifetime_seconds=lifetime_seconds,
        )
        return (yield from self._read(IssuedKey, "POST", "keys", body=body, is_once=True))

    @door
    def revoke_key(self, key_id: UUID | str) -> Flow[Key]:
        """End a key at once and for good."""
        return (yield from self._read(Key, "POST", f"keys/{UUID(str(key_id))}/revoke", body={}))

    @door
    def link(
        self,
        entity: str | None = None,
        *,
        scene: UUID | str | None = None,
        lifetime_seconds: int | None = None,
    ) -> Flow[Link]:
        """Show an entity's timeline, or a scene, to whoever gets the address; an hour without a lifetime.

        A day is the longest. Revoking the key closes its links. Scope read.
        """
        body = told(
            entity=entity,
            scene=None if scene is None else UUID(str(scene)),
            lifetime_seconds=lifetime_seconds,
        )
        return (yield from self._read(Link, "POST", "links", body=body))

    @door
    def forget(self, text: str, *, entity: str, keep: Sequence[UUID | str] = ()) -> Flow[Forgetting]:
        """What a request to forget means, with all that depends on it; erases nothing. Scope write."""
        body = told(entity=entity, text=text, keep=tuple(map(str, keep)))
        return (yield from self._read(Forgetting, "POST", "forget", body=body, is_slow=True))

    @door
    def confirm_forget(self, token: str, *, entity: str, keep: Sequence[UUID | str] = ()) -> Flow[Erasure]:
        """Erase what was listed, but for the claims and messages that are to be kept. Scope admin."""
        body = told(entity=entity, token=token, keep=tuple(map(str, keep)))
        reply = yield from self._read(ErasedReply, "POST", "forget/confirm", body=body, is_slow=True)
        return reply.erasure
