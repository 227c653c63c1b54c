"""The audit of erasing, and what people call the sessions they want erased."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from memory.ingest.access import Access, UnknownEntityError
from memory.models import Entity, Erasure, Session
from memory.stewardship.actors import RefusedChangeError


def sessions_named(entity: Entity, names: Sequence[str]) -> tuple[UUID, ...]:
    """The ids of sessions by their external ids; RefusedChangeError when one is not there."""
    rows = Session.objects.for_entity(entity).filter(external_id__in=names)
    found = dict(rows.values_list("external_id", "pk"))
    if missing := [name for name in names if name not in found]:
        raise RefusedChangeError(f"{len(missing)} of the sessions named are none of this entity.")
    return tuple(found[name] for name in dict.fromkeys(names))


def list_erasures(
    *, access: Access, name: str | None, after: UUID | None, limit: int
) -> tuple[list[Erasure], UUID | None]:
    """A page of erasures, newest first, and the id it ended with when more follow.

    Without a name those of the whole workspace, of entities that are gone too. UnknownEntityError for an
    entity that the key does not open, and for a bound key that names none.
    """
    rows = Erasure.objects.for_workspace(access.workspace.pk)
    if name is not None:
        rows = rows.filter(entity=access.entity(name))
    elif access.is_bound:
        raise UnknownEntityError("")
    if after is not None:
        rows = rows.filter(pk__lt=after)
    # Ids are ordered by time, and unique where times are not.
    found = list(rows.select_related("user", "key").order_by("-pk")[: limit + 1])
    return found[:limit], found[limit - 1].pk if len(found) > limit else None
