"""Opening an entity's memory to another entity's agents, to read and never to write, and closing it again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import IntegrityError, transaction
from psycopg.errors import ForeignKeyViolation

from memory.ingest.access import UnknownEntityError
from memory.models import Entity, Share
from memory.models.sharing import ShareQuerySet
from memory.stewardship.actors import Actor, RefusedChangeError

REASON_LIMIT = 500

Direction = Literal["given", "received"]


class NoShareError(LookupError):
    """The entity shares nothing with such a reader."""


@dataclass(frozen=True, slots=True)
class ShareRecord:
    """Whose memory is open to whom, and who opened it when and why."""

    id: UUID
    entity: str
    reader: str
    reason: str
    by: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SharesPage:
    """Shares in the order in which they were made."""

    shares: tuple[ShareRecord, ...]
    next_after: UUID | None


def share_memory(
    *, entity: Entity, reader: Entity, actor: Actor, reason: str = ""
) -> tuple[ShareRecord, bool]:
    """Open the memory of `entity` to `reader`, and say whether it was closed before.

    RefusedChangeError for entities of two workspaces, or one and the same; UnknownEntityError when one of
    them is gone.
    """
    if entity.workspace_id != reader.workspace_id:
        raise RefusedChangeError("A memory is shared within its workspace alone.")
    if entity.pk == reader.pk:
        raise RefusedChangeError("An entity reads its own memory without a share.")
    wanted = Share(
        workspace_id=entity.workspace_id,
        entity=entity,
        reader=reader,
        reason=reason[:REASON_LIMIT],
        **actor.columns,
    )
    try:
        with transaction.atomic():
            Share.objects.bulk_create([wanted], ignore_conflicts=True)
            made = _told(Share.objects.for_entity(entity).for_reader(reader.pk)).get()
    except (Share.DoesNotExist, IntegrityError) as error:
        if isinstance(error, IntegrityError) and not isinstance(error.__cause__, ForeignKeyViolation):
            raise
        raise UnknownEntityError(reader.name) from error
    return _record(made), made.pk == wanted.pk


def unshare_memory(*, entity: Entity, reader: str) -> None:
    """Close the memory of `entity` to the reader of this name, at once; NoShareError when it is closed."""
    shares = Share.objects.for_entity(entity).filter(reader__name=reader, reader__shadow_of__isnull=True)
    if not shares.delete()[0]:
        raise NoShareError(reader)


def list_shares(entity: Entity, *, direction: Direction, after: UUID | None = None, limit: int) -> SharesPage:
    """A page of those who may read an entity's memory (`given`), or whose memory it may read (`received`).

    One statement.
    """
    shares = Share.objects.for_workspace(entity.workspace_id)
    rows = shares.for_entity(entity) if direction == "given" else shares.for_reader(entity.pk)
    rest = rows if after is None else rows.filter(pk__gt=after)
    found = list(_told(rest).order_by("pk")[: limit + 1])
    shown = tuple(_record(share) for share in found)[:limit]
    return SharesPage(shown, shown[-1].id if len(found) > limit else None)


def _told(shares: ShareQuerySet) -> ShareQuerySet:
    return shares.select_related("entity", "reader", "user", "key")


def _record(share: Share) -> ShareRecord:
    by = share.user.get_username() if share.user is not None else share.by
    return ShareRecord(
        id=share.pk,
        entity=share.entity.name,
        reader=share.reader.name,
        reason=share.reason,
        by=by or (share.key.label if share.key is not None else ""),
        created_at=share.created_at,
    )
