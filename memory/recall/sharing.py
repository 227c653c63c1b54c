"""Memories of others that an entity may read: found by their shares, searched one by one, told apart.

Nothing is merged: what comes from another entity stays a group of its own, under its name, with its evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.ingest.access import UnknownEntityError
from memory.models import Entity, Share
from memory.recall.hits import Found
from memory.recall.search import Request, search

EVERY = "all"
MOST_SHARED = 16
"""Each one is searched by itself."""


class TooManySharedError(ValueError):
    """More memories than one call may read."""


@dataclass(frozen=True, slots=True)
class SharedFound:
    """What another entity's memory holds about a query."""

    entity: str
    found: Found


def shared_with(reader: Entity, names: Sequence[str]) -> tuple[Entity, ...]:
    """The entities whose memory `reader` may read, by name: those of the names, or every one for `all`.

    One statement; a share that was taken back opens nothing from then on. UnknownEntityError for a name that
    is not shared with the reader, whether there is such an entity or not; TooManySharedError for more than
    `MOST_SHARED`.
    """
    if not names:
        return ()
    shares = Share.objects.for_workspace(reader.workspace_id).for_reader(reader.pk)
    if EVERY not in names:
        shares = shares.filter(entity__name__in=names)
    found = [share.entity for share in shares.select_related("entity").order_by("entity__name")]
    missing = set(names) - {EVERY} - {entity.name for entity in found}
    if missing:
        raise UnknownEntityError(min(missing))
    if len(found) > MOST_SHARED:
        raise TooManySharedError(
            f"{len(found)} memories are meant, and a call reads at most {MOST_SHARED}: name some of them"
        )
    for entity in found:
        # Known already: whoever asks for the workspace's design needs no statement for it.
        entity.workspace = reader.workspace
    return tuple(found)


def search_shared(entities: Sequence[Entity], request: Request) -> tuple[SharedFound, ...]:
    """The same search in each of the memories; sessions are of one entity and narrow none of them."""
    narrowed = replace(request, filters=replace(request.filters, session=None))
    return tuple(
        SharedFound(entity.name, search(entity, replace(narrowed, languages=entity.languages_read)))
        for entity in entities
    )
