"""How long a heap of messages takes to become atoms, with a model that answers at once."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.figures import Figure
from benchmarks.ground import Ground
from benchmarks.processes import wait_until, working

AT_ONCE = 100
TURNS_OF_A_SESSION = 50
LONGEST_SECONDS = 300.0


def measure_backlog(ground: Ground) -> Iterator[Figure]:
    """From the last of them stored to the last of them read, the pause for more words included."""
    with working():
        times = [
            _read_all(ground, f"agent.backlog-{number}") for number in range(ground.options.repetitions + 1)
        ]
    # The first one loads the prompts and makes connections.
    yield Figure("backlog to the last atom", "s", tuple(times[1:]))


def _read_all(ground: Ground, name: str) -> float:
    from memory.ingest.incoming import read_messages
    from memory.ingest.messages import append_messages
    from memory.models import Atom, Message

    entity = ground.entity(name)
    count = ground.options.backlog
    messages = [
        {
            "session": f"session {number // TURNS_OF_A_SESSION}",
            "role": "user",
            "speaker": "Alice",
            "text": f"The part with number {number} of the {name} lies on the shelf of Ana.",
        }
        for number in range(count)
    ]
    for start in range(0, count, AT_ONCE):
        append_messages(entity=entity, messages=read_messages(messages[start : start + AT_ONCE]))
    began = time.perf_counter()
    pending = Message.objects.for_entity(entity).pending()
    wait_until(lambda: not pending.exists(), "the last atom", seconds=LONGEST_SECONDS)
    seconds = time.perf_counter() - began
    made = Atom.objects.for_entity(entity).count()
    if made != count:
        raise SystemExit(f"{count} messages gave {made} atoms")
    return seconds
