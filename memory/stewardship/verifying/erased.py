"""What was erased has not come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from memory.ingest.tombstones import BATCH, buried
from memory.models import Entity, Message, Tombstone
from memory.stewardship.verifying.checks import ReadingCheck

READ_AT_ONCE = 2_000


def _messages(entity: Entity | None) -> Iterator[tuple[str, str]]:
    """Messages whose dedupe key was erased: no door takes them again.

    The same words may be said again under another key, so that words alone prove nothing. A key that was
    erased under a secret that is gone, and is among no `SECRET_KEY_FALLBACKS`, is not known any more.
    """
    stones = Tombstone.objects.filter(workspace_id=OuterRef("workspace_id"))
    rows = Message.objects.filter(Exists(stones), dedupe_key__isnull=False)
    if entity is not None:
        rows = rows.for_entity(entity)
    said = rows.order_by("entity", "pk").values_list("entity", "pk", "dedupe_key").iterator(READ_AT_ONCE)
    for owner_id, messages in groupby(said, itemgetter(0)):
        owner = Entity.objects.get(pk=owner_id)
        while part := list(islice(messages, BATCH)):
            yield from ((owner.name, f"memory_message {pk}") for pk in _returned(owner, part))


def _returned(owner: Entity, messages: Sequence[tuple[Any, ...]]) -> list[UUID]:
    known_by: dict[int, list[Any]] = {
        index: [("key", key.encode())] for index, (_, _, key) in enumerate(messages)
    }
    return [messages[index][1] for index in sorted(buried(owner, known_by))]


CHECKS = (ReadingCheck("erased_message_returned", "a message of this dedupe key was erased", _messages),)
