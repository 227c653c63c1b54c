"""Keys in the hands of a key: listed, issued and revoked, and never more granted than the issuer has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Prefetch
from django.utils import timezone

from memory.ingest.access import Access
from memory.ingest.problems import refused
from memory.ingest.workspaces import IssuedKey, create_key, revoke_key
from memory.models import Entity, Key
from memory.recall.trace import NoRecordError
from memory.stewardship.actors import RefusedChangeError

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A key; what opens the door is stored nowhere."""

    id: UUID
    label: str
    prefix: str
    """The beginning of its token."""
    scopes: tuple[str, ...]
    entities: tuple[str, ...]
    """Names of those that it is bound to."""
    is_bound: bool
    """It opens its entities alone, and nothing once they are gone."""
    is_usable: bool
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    """Noted once a minute."""


@dataclass(frozen=True, slots=True)
class KeysPage:
    """Keys, newest first."""

    keys: tuple[KeyRecord, ...]
    next_after: UUID | None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key with its token, which is told this once."""

    key: KeyRecord
    token: str


def list_keys(access: Access, *, after: UUID | None = None, limit: int = PAGE_SIZE) -> KeysPage:
    """A page of the workspace's keys in two statements; RefusedChangeError for a bound key.

    ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("A page holds at least one key.")
    _refuse_bound(access)
    rows = Key.objects.filter(workspace=access.workspace)
    rest = rows if after is None else rows.filter(pk__lt=after)
    named = Prefetch("entities", queryset=Entity.objects.only("name").order_by("name"))
    found = list(rest.prefetch_related(named).order_by("-pk")[: limit + 1])
    shown = found[:limit]
    return KeysPage(tuple(map(key_record, shown)), shown[-1].pk if len(found) > limit else None)


def issue_key(
    access: Access,
    *,
    label: str,
    scopes: Sequence[str],
    entities: Sequence[str] = (),
    expires_at: datetime | None = None,
    lifetime: timedelta | None = None,
) -> NewKey:
    """Make a key of the workspace, bound to the entities that are named.

    It gets no scope that its issuer lacks, and does not outlive it. RefusedChangeError for a bound issuer and
    for more than the issuer has, IngestError for what cannot be taken, UnknownEntityError.
    """
    _refuse_bound(access)
    if missing := [scope for scope in scopes if scope in Key.Scope.values and not access.allows(scope)]:
        raise RefusedChangeError(f"A key grants no scope that it lacks itself: {', '.join(missing)}.")
    ends_at = _end(access.key, expires_at, lifetime)
    bound_to = [access.entity(name) for name in dict.fromkeys(entities)]
    issued: IssuedKey = create_key(
        workspace=access.workspace, label=label, scopes=scopes, entities=bound_to, expires_at=ends_at
    )
    return NewKey(key_record(issued.key), issued.token)


def revoke(access: Access, id: UUID) -> KeyRecord:
    """End a key of the workspace at once; one that was revoked before stays so. NoRecordError."""
    _refuse_bound(access)
    key = Key.objects.filter(workspace=access.workspace, pk=id).first()
    if key is None:
        raise NoRecordError(str(id))
    revoke_key(key=key)
    key.refresh_from_db()
    return key_record(key)


def key_record(key: Key) -> KeyRecord:
    """What may be told of a key."""
    return KeyRecord(
        id=key.pk,
        label=key.label,
        prefix=key.prefix,
        scopes=tuple(key.scopes),
        entities=tuple(sorted(entity.name for entity in key.entities.all())),
        is_bound=key.is_bound,
        is_usable=key.is_usable(timezone.now()),
        created_at=key.created_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
        last_used_at=key.last_used_at,
    )


def _refuse_bound(access: Access) -> None:
    if access.is_bound:
        raise RefusedChangeError("A key that is bound to entities neither sees nor makes keys.")


def _end(issuer: Key, expires_at: datetime | None, lifetime: timedelta | None) -> datetime | None:
    """When the new key ends."""
    now = timezone.now()
    ends_at = expires_at if lifetime is None else now + lifetime
    if ends_at is not None and ends_at <= now:
        raise refused("expires_at", "has passed already")
    if issuer.expires_at is not None and (ends_at is None or ends_at > issuer.expires_at):
        raise RefusedChangeError("A key makes none that outlives it: give an end that comes before its own.")
    return ends_at
