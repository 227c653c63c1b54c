"""`python -m benchmarks.cascade`: how long the cascade itself takes from a stored message to the persona.

A model over HTTP answers at once, a real worker runs, one fresh entity after the other says one thing. Own
time is what lies between storing and the new trait, less the pause that the worker waits for more words. The
last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from benchmarks.answers import answer_to
from benchmarks.installation import installation, machine, note
from benchmarks.processes import wait_until
from tests.stub_provider import Reply, StubProvider

if TYPE_CHECKING:
    from memory.models import Entity

QUIET_SECONDS = 2.0
TARGET_SECONDS = 0.3
CALLS_FOR_A_FIRST_MESSAGE = 3
CALLS_WITHOUT_CHANGE = 2
LADDER = ("l1_extract", "scene_synthesis", "persona")
POLL_SECONDS = 0.005
REST_POLL_SECONDS = 0.1
WORDS = "Never deploy to production without my written approval."


@dataclass(frozen=True)
class Sample:
    """What one entity's first message, and the same words once more, took."""

    own_seconds: float
    first_calls: int
    repeat_calls: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cascade", description=__doc__)
    parser.add_argument("--entities", type=int, default=20, help="how many, one after the other (20)")
    count = parser.parse_args().entities
    stub = StubProvider(respond=lambda body: Reply.json(answer_to(body)))
    with stub, installation(**stub_settings(stub.base_url)), _worker():
        samples = list(measured(stub, count))
        told = _report(samples) | machine()
    print(f"own time from a stored message to L3, {len(samples)} entities:")
    print(f"  p50 {told['p50_seconds']:.3f} s, p95 {told['p95_seconds']:.3f} s (target {TARGET_SECONDS} s)")
    print(f"  model calls: first message {told['first_calls']}, repeated words {told['repeat_calls']}")
    print(json.dumps(told))


def stub_settings(base_url: str) -> dict[str, str]:
    """Variables that have the model at this address asked."""
    return {
        "MEMSEEK_MODEL_STRONG": "stub",
        "MEMSEEK_MODEL_BASE_URL": base_url,
        "OPENAI_API_KEY": "sk-for-the-stub",
        "MEMSEEK_WAKE_QUIET_SECONDS": str(QUIET_SECONDS),
    }


@contextmanager
def _worker() -> Iterator[None]:
    """A worker that has shown a sign of life."""
    from memory.recall.ladder import worker_seen_seconds
    from memseek_site.workers import ensure_worker

    with ensure_worker(note):
        wait_until(lambda: worker_seen_seconds() is not None, "the worker")
        yield


def measured(stub: StubProvider, count: int) -> Iterator[Sample]:
    """So many fresh entities of a new workspace, one after the other; a worker has to be there."""
    from memory.ingest.workspaces import create_workspace

    workspace = create_workspace(name=f"benchmark of the cascade {token_hex(4)}").workspace
    # One more, not counted: a worker's first run makes connections and loads the design.
    for number in range(count + 1):
        sample = _sample(stub, workspace, f"agent.{number}")
        if number:
            yield sample


def _sample(stub: StubProvider, workspace: Any, name: str) -> Sample:
    from memory.ingest.entities import ensure_entity
    from memory.models import TraitVersion

    entity = ensure_entity(workspace=workspace, name=name)
    before = len(stub.requests)
    began = time.perf_counter()
    _say(entity, "first")
    wait_until(TraitVersion.objects.for_entity(entity).exists, "the trait", poll_seconds=POLL_SECONDS)
    own = time.perf_counter() - began - QUIET_SECONDS
    first = len(stub.requests) - before
    _say(entity, "again")
    wait_until(lambda: is_at_rest(entity), "the rest", poll_seconds=REST_POLL_SECONDS)
    return Sample(own, first, len(stub.requests) - before - first)


def _say(entity: Entity, session: str) -> None:
    from memory.ingest.incoming import IncomingMessage
    from memory.ingest.messages import append_messages

    message = IncomingMessage(session=session, role="user", speaker="Alice", text=WORDS)
    append_messages(entity=entity, messages=[message])


def is_at_rest(entity: Entity) -> bool:
    """Whether the ladder has nothing left to do; the graph follows a minute later, without a model."""
    from memory.cascade.work import pending_counts
    from memory.models import Work

    waiting = pending_counts(entity)
    steps = [step for step in waiting if step.value in LADDER]
    leased = Work.objects.for_entity(entity).filter(step__in=steps, lease_until__isnull=False)
    return not any(waiting[step] for step in steps) and not leased.exists()


def _report(samples: Sequence[Sample]) -> dict[str, Any]:
    times = sorted(sample.own_seconds for sample in samples)
    return {
        "benchmark": "cascade",
        "entities": len(samples),
        "p50_seconds": round(statistics.median(times), 4),
        "p95_seconds": round(times[min(len(times) - 1, int(len(times) * 0.95))], 4),
        "is_within_target": statistics.median(times) < TARGET_SECONDS,
        "first_calls": dict(Counter(sample.first_calls for sample in samples)),
        "repeat_calls": dict(Counter(sample.repeat_calls for sample in samples)),
        "quiet_seconds": QUIET_SECONDS,
    }


if __name__ == "__main__":
    main()
