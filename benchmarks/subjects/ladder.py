"""From a stored message to the persona with shipped times and a model that answers at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta

from benchmarks.cascade import QUIET_SECONDS, Sample, measured
from benchmarks.figures import Figure
from benchmarks.ground import Ground, Memory
from benchmarks.processes import wait_until, working

SECONDS = "s"
POLL_SECONDS = 0.005


def measure_ladder(ground: Ground) -> Iterator[Figure]:
    """Fresh entities that say one thing each; then one thing more in each of the filled memories."""
    memories = ground.memories
    with working():
        rounds = [_round(ground) for _ in range(ground.options.repetitions)]
        own = tuple(sample.own_seconds for samples in rounds for sample in samples)
        values = tuple(_median([sample.own_seconds for sample in samples]) for samples in rounds)
        yield Figure("message to L3, own time", SECONDS, values, samples=own)
        yield Figure(
            "message to L3",
            SECONDS,
            tuple(value + QUIET_SECONDS for value in values),
            samples=tuple(one + QUIET_SECONDS for one in own),
        )
        for memory in memories:
            times = tuple(
                _one_more(memory, number) - QUIET_SECONDS for number in range(ground.options.repetitions + 1)
            )
            # The first one of each memory makes connections and reads what is not in any cache.
            yield Figure("message to L3 in a memory, own time", SECONDS, times[1:], memory.size)


def _round(ground: Ground) -> list[Sample]:
    return list(measured(ground.stub, ground.options.entities))


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def _one_more(memory: Memory, number: int) -> float:
    """Seconds from a new message to the end of the persona's run that it leads to."""
    from memory.models import Run, Step

    _end_pauses(memory)
    runs = Run.objects.for_entity(memory.entity).filter(step=Step.PERSONA, status=Run.Status.SUCCEEDED)
    before = runs.count()
    began = time.perf_counter()
    _say(memory, f"The office in Riga is closed on the {number}th floor, Ana has the key.")
    wait_until(lambda: runs.count() > before, "the persona's run", poll_seconds=POLL_SECONDS)
    return time.perf_counter() - began


def _end_pauses(memory: Memory) -> None:
    """As if the steps had run long ago: scenes and persona keep a distance between two runs."""
    from django.db.models import F

    from memory.models import Work

    Work.objects.for_entity(memory.entity).update(last_finished_at=F("last_finished_at") - timedelta(hours=1))


def _say(memory: Memory, words: str) -> None:
    from memory.ingest.incoming import IncomingMessage
    from memory.ingest.messages import append_messages

    message = IncomingMessage(session="one more", role="user", speaker="Alice", text=words)
    append_messages(entity=memory.entity, messages=[message])
