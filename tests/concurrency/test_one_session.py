"""Many write to one session: what has the same key is one message, all others stand one behind the other."""

from __future__ import annotations

import pytest

from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Message
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity
from tests.ingest.test_concurrency import CALLERS, at_once

pytestmark = pytest.mark.django_db(transaction=True)

SHARED, OWN = 6, 6


def message(key: str) -> IncomingMessage:
    return IncomingMessage(session="s", role="user", text=f"Word of {key}.", dedupe_key=key)


def test_shared_and_own_keys_of_one_session_are_each_stored_once_and_numbered_without_gap() -> None:
    entity = an_entity()

    def write(number: int) -> list[list[tuple[str, bool]]]:
        """Batches of two: a key that everybody sends, in an order of one's own, and a key of one's own."""
        shared = [f"shared-{(number + place) % SHARED}" for place in range(SHARED)]
        told = []
        for place in range(OWN):
            sent = (message(shared[place]), message(f"own-{number}-{place}"))
            stored = append_messages(entity=entity, messages=sent).messages
            told.append([(str(one.id), one.is_new) for one in stored])
        return told

    told = [pair for batches in at_once(write) for batch in batches for pair in batch]
    rows = list(
        Message.objects.for_entity(entity).order_by("ordinal").values_list("ordinal", "dedupe_key", "text")
    )
    keys = [key for _, key, _ in rows]
    assert sorted(keys) == sorted(
        [
            *(f"shared-{place}" for place in range(SHARED)),
            *(f"own-{number}-{place}" for number in range(CALLERS) for place in range(OWN)),
        ]
    )
    assert [ordinal for ordinal, _, _ in rows] == list(range(len(rows)))
    assert all(text == f"Word of {key}." for _, key, text in rows)
    # Each message was new to exactly one of those who sent it.
    assert sorted(id for id, is_new in told if is_new) == sorted({id for id, _ in told})
    for number in range(CALLERS):
        own = [key for key in keys if str(key).startswith(f"own-{number}-")]
        assert own == [f"own-{number}-{place}" for place in range(OWN)]
    assert verify(entity) == []
