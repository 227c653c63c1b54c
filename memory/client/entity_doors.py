"""Entities: made, changed, waited for, and shared with each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal
from urllib.parse import quote

from memory.client.asking import Asking
from memory.client.entity_results import Entity, EntityStatus, Share
from memory.client.errors import NotFoundError
from memory.client.exchange import Flow, Pause
from memory.client.given import told
from memory.client.running import Pages, door, listing

SETTLE_SECONDS = 120.0
FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS = 0.1, 2.0

Notice = Callable[[EntityStatus], object]


class EntityDoors(Asking):
    """Whose memory it is."""

    @listing
    def entities(
        self,
        *,
        name: str | None = None,
        prefix: str | None = None,
        group_id: str | None = None,
        user_id: str | None = None,
        limit: int | None = None,
    ) -> Pages[Entity]:
        """The entities that the key opens, by name, each with the counts of its layers."""
        query = told(name=name, prefix=prefix, group_id=group_id, user_id=user_id)
        return self._pages(Entity, "entities", "entities", limit=limit, query=query)

    @door
    def create_entity(
        self, name: str, *, time_zone: str | None = None, group_id: str = "", user_id: str = ""
    ) -> Flow[Entity]:
        """Make an entity before anything is said to it; one that is there as it is asked for stays so.

        ConflictError for one of this name with another zone, group or user.
        """
        body = told(name=name, time_zone=time_zone, group_id=group_id, user_id=user_id)
        return (yield from self._read(Entity, "POST", "entities", body=body))

    @door
    def entity(self, name: str) -> Flow[Entity]:
        """One entity; NotFoundError for one that the key does not open."""
        return (yield from self._read(Entity, "GET", path_of(name)))

    @door
    def change_entity(
        self, name: str, *, time_zone: str | None = None, paused_steps: Sequence[str] | None = None
    ) -> Flow[Entity]:
        """Set the zone, or all steps that are to pause: the others go on. Scope admin."""
        body: dict[str, Any] = told(time_zone=time_zone)
        if paused_steps is not None:
            body["paused_steps"] = list(paused_steps)
        return (yield from self._read(Entity, "PATCH", path_of(name), body=body))

    @door
    def status(self, entity: str) -> Flow[EntityStatus]:
        """Counts of each layer, what waits and why."""
        return (yield from self._read(EntityStatus, "GET", path_of(entity, "status")))

    @door
    def flush(self, entity: str) -> Flow[EntityStatus]:
        """Let no step wait for more words; workers go on without you."""
        return (yield from self._read(EntityStatus, "POST", path_of(entity, "flush"), body={}))

    @door
    def settle(
        self, entity: str, *, timeout_seconds: float = SETTLE_SECONDS, notice: Notice | None = None
    ) -> Flow[EntityStatus]:
        """Have what waits worked on and wait until nothing is left to do.

        The status says whether it came so far, and why not. `notice` is given each status on the way. Parked
        inputs are not waited for. Scope write.
        """
        ends_at = self._limits.clock() + timeout_seconds
        now = yield from self._read(EntityStatus, "POST", path_of(entity, "flush"), body={})
        pause = FIRST_LOOK_SECONDS
        while not now.is_settled and now.has_steps:
            if notice is not None:
                notice(now)
            left = ends_at - self._limits.clock()
            if left <= 0:
                break
            yield Pause(min(pause, left))
            pause = min(LONGEST_LOOK_SECONDS, pause * 1.5)
            now = yield from self._read(EntityStatus, "GET", path_of(entity, "status"))
        return now

    @listing
    def shares(
        self,
        entity: str,
        *,
        direction: Literal["given", "received"] = "given",
        limit: int | None = None,
    ) -> Pages[Share]:
        """Who may read an entity's memory (`given`), or whose memory it may read (`received`)."""
        query = {"direction": direction}
        return self._pages(Share, path_of(entity, "shares"), "shares", limit=limit, query=query)

    @door
    def share(self, entity: str, *, reader: str, reason: str = "") -> Flow[Share]:
        """Let `reader` read the memory of `entity`; scope admin and a key that opens both."""
        body = {"reader": reader, "reason": reason}
        return (yield from self._read(Share, "POST", path_of(entity, "shares"), body=body))

    @door
    def unshare(self, entity: str, *, reader: str) -> Flow[bool]:
        """Close the memory of `entity` to `reader` at once; False when it was closed. Scope admin."""
        try:
            yield from self._ask("DELETE", f"{path_of(entity, 'shares')}/{quote(reader)}")
        except NotFoundError:
            return False
        return True


def path_of(entity: str, *parts: str) -> str:
    """The address of an entity, whose name may hold slashes."""
    return "/".join(("entities", quote(entity), *parts))
