"""Who asks, and whose memory is meant. A key that was just seen still opens while the database is down."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from django.http import HttpRequest

from memory.ingest.access import Access, UnknownEntityError, open_access
from memory.ingest.entities import refuse_name
from memory.ingest.incoming import SESSION_NAME_LIMIT
from memory.ingest.problems import IngestError
from memory.ingest.storable import is_blank, text_problem
from memory.limiting.rates import Kind, address_of, admit, admit_failure
from memory.models import Entity, Key
from memory.proxy.errors import NO_ENTITY, NO_KEY, NO_SCOPE, UNAVAILABLE, UNKNOWN_ENTITY, Refused
from memory.proxy.threads import MemoryDown, Threads

SCHEME = "bearer"
REMEMBERED_SECONDS = 300.0
"""So long a revoked key may still chat, and only while the database cannot be asked."""
MOST_REMEMBERED = 1_000
LONGEST_CHECK_SECONDS = 10.0


class Callers:
    """Opens keys, and remembers for a while whom they opened for."""

    def __init__(self, threads: Threads, clock: Callable[[], float] = time.monotonic) -> None:
        self._threads = threads
        self._clock = clock
        self._seen: OrderedDict[str, tuple[Access, float]] = OrderedDict()

    async def access(self, request: HttpRequest, *, kind: Kind, seconds: float) -> Access:
        """What a request's key opens. Refused without one or its write scope, beyond a rate, or unchecked."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME or not token.strip():
            raise NO_KEY()
        access = await self._opened(token.strip(), address_of(request), kind, seconds)
        if not access.allows("write"):
            raise NO_SCOPE()
        return access

    async def _opened(self, token: str, address: str, kind: Kind, seconds: float) -> Access:
        digest = Key.digest_of(token)
        seen = self._recent(digest)
        wait = seconds if seen is not None else max(seconds, LONGEST_CHECK_SECONDS)
        action = partial(_rated, token, address, kind)
        try:
            access = await self._threads.check(action, seconds=wait, passing=(Refused,))
        except MemoryDown:
            if seen is None:
                raise UNAVAILABLE() from None
            return seen
        if access is None:
            self._seen.pop(digest, None)
            raise NO_KEY()
        self._seen[digest] = access, self._clock()
        self._seen.move_to_end(digest)
        if len(self._seen) > MOST_REMEMBERED:
            self._seen.popitem(last=False)
        return access

    def _recent(self, digest: str) -> Access | None:
        access, at = self._seen.get(digest, (None, 0.0))
        if access is None or self._clock() - at > REMEMBERED_SECONDS:
            return None
        return access if access.key.is_usable(datetime.now(UTC)) else None


def _rated(token: str, address: str, kind: Kind) -> Access | None:
    """What a key opens, counted; Refused (429) for a key, or an address of wrong keys, beyond its rate."""
    access = open_access(token)
    if access is None:
        verdict = admit_failure(address=address)
    else:
        verdict = admit(key_id=access.key.pk, address=address, kind=kind)
    if verdict is not None and not verdict.is_allowed:
        wait = str(verdict.window.wait_seconds)
        message = f"Too many requests. Ask again in {wait} seconds."
        raise Refused(429, "rate_limited", message, {**verdict.headers, "Retry-After": wait})
    return access


def wanted_entity(access: Access, header: str | None, user: object) -> str | None:
    """The entity's name by the header, else by the request's user; None for the only one of a bound key.

    Refused where none of the three says whose memory it is, and for what is no name.
    """
    name = header or (user if isinstance(user, str) else "")
    if not name:
        if len(access.entity_ids) != 1:
            raise NO_ENTITY()
        return None
    try:
        refuse_name(name)
    except IngestError as error:
        raise Refused(400, "invalid", error.summary()) from None
    return name


def wanted_session(header: str | None) -> str | None:
    """The session's name by the header; None leaves it to the conversation. Refused for what is no name."""
    if not header:
        return None
    if text_problem(header) or is_blank(header) or len(header) > SESSION_NAME_LIMIT:
        raise Refused(
            400, "invalid", f"X-Memseek-Session is no text of 1 to {SESSION_NAME_LIMIT} characters."
        )
    return header


def entity_of(access: Access, name: str | None) -> Entity | None:
    """The entity; None for one that the key may make. Refused for any other that is not there."""
    try:
        if name is not None:
            return access.entity(name)
        entity = Entity.objects.for_workspace(access.workspace.pk).get(pk__in=access.entity_ids)
    except UnknownEntityError:
        if access.is_bound:
            raise UNKNOWN_ENTITY() from None
        return None
    except Entity.DoesNotExist:
        raise UNKNOWN_ENTITY() from None
    entity.workspace = access.workspace
    return entity
