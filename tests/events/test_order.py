"""Writers that commit out of order, and a stream that is cut and resumed: nothing missed, nothing twice."""

from __future__ import annotations

import random
import threading
import time

import pytest
from django.db import connection, transaction

from memory.models import Entity, Outbox
from tests.events.serving import Reader

WRITERS = 8
EVENTS_OF_WRITER = 25
LONGEST_DELAY_SECONDS = 0.04


def write(entity: Entity, writer: int, begun: threading.Barrier) -> None:
    """Transactions that stay open for a while after their event was written; some are rolled back."""
    chance = random.Random(writer)
    try:
        begun.wait()
        for number in range(EVENTS_OF_WRITER):
            with transaction.atomic():
                Outbox.objects.create(
                    workspace_id=entity.workspace_id,
                    entity=entity,
                    event=Outbox.Event.MESSAGE_STORED,
                    ids={"writer": writer, "number": number},
                )
                time.sleep(chance.uniform(0, LONGEST_DELAY_SECONDS))
            with transaction.atomic():
                Outbox.objects.create(
                    workspace_id=entity.workspace_id, entity=entity, event="erased", ids={"never": True}
                )
                transaction.set_rollback(True)
    finally:
        connection.close()


def delivered_order() -> list[tuple[int, int]]:
    rows = Outbox.objects.order_by("transaction", "id").values_list("ids", flat=True)
    return [(ids["writer"], ids["number"]) for ids in rows]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_stream_that_is_cut_and_resumed_misses_and_repeats_nothing(
    reader: Reader, alice: Entity, seed: int
) -> None:
    chance = random.Random(seed)
    with reader.opened() as reply:
        next(reader.events(reply))
    begun = threading.Barrier(WRITERS)
    writers = [threading.Thread(target=write, args=(alice, number, begun)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    told: list[tuple[int, int]] = []
    cuts = 0
    while len(told) < WRITERS * EVENTS_OF_WRITER:
        taken = reader.take(min(chance.randrange(1, 30), WRITERS * EVENTS_OF_WRITER - len(told)))
        told += [(event.data["ids"]["writer"], event.data["ids"]["number"]) for event in taken]
        cuts += 1
    for writer in writers:
        writer.join()
    assert cuts > 3
    assert told == delivered_order()
    assert sorted(told) == [(w, n) for w in range(WRITERS) for n in range(EVENTS_OF_WRITER)]


def test_what_commits_late_comes_late_and_is_not_passed_by(reader: Reader, alice: Entity) -> None:
    with reader.opened() as reply:
        next(reader.events(reply))
    is_written, may_commit = threading.Event(), threading.Event()

    def write_late() -> None:
        try:
            with transaction.atomic():
                Outbox.objects.create(
                    workspace_id=alice.workspace_id, entity=alice, event="step.done", ids={"late": True}
                )
                is_written.set()
                may_commit.wait()
        finally:
            connection.close()

    late = threading.Thread(target=write_late)
    late.start()
    is_written.wait()
    Outbox.objects.create(
        workspace_id=alice.workspace_id, entity=alice, event="step.done", ids={"late": False}
    )
    with reader.opened() as reply:
        events = reader.events(reply)
        assert next(events) is None
        may_commit.set()
        told = [event.data["ids"]["late"] for event in (next(events), next(events)) if event]
    late.join()
    assert told == [True, False]
