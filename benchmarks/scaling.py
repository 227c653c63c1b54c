"""`python -m benchmarks.scaling`: the same load on one web process and one worker, then on several of each.

One PostgreSQL and one Redis serve both. Messages are stored, climb the ladder with the offline model, and are
recalled; the clients go to the web processes in turn. Both times the same must be made of the same words, and
the checker must find nothing. Told are the speed-up and the processor time of each kind of process. The last
line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.installation import installation, machine, note
from benchmarks.load import Load, Request, put
from benchmarks.processes import Process, Served, database_seconds, served, wait_until, working
from benchmarks.recall import bearer
from benchmarks.scaling_results import compare, made_of, refuse_problems
from benchmarks.scaling_words import CLIENTS, WARM, names, questions, records

if TYPE_CHECKING:
    from memory.ingest.workspaces import CreatedWorkspace

LONGEST_SECONDS = 300.0
POLL_SECONDS = 0.05
AT_ONCE = {
    "MEMSEEK_WAKE_QUIET_SECONDS": "0.1",
    "MEMSEEK_WAKE_LATEST_SECONDS": "0.5",
    "MEMSEEK_SCENE_INTERVAL_SECONDS": "0",
    "MEMSEEK_PERSONA_INTERVAL_SECONDS": "0",
    "MEMSEEK_PROMOTION_SECONDS": "0",
    "DATABASE_POOL_SIZE": "12",
}
"""Nobody waits for more words: work is measured. Six processes stay below a hundred connections."""


@dataclass(frozen=True)
class Size:
    """How much is done in each round."""

    entities: int
    messages: int
    """Of each entity."""
    recalls: int
    """Of each client."""


@dataclass(frozen=True)
class Shape:
    """How many processes share the work."""

    webs: int
    workers: int

    def __str__(self) -> str:
        return f"{self.webs} web, {self.workers} worker"


@dataclass(frozen=True)
class Round:
    """What one shape took."""

    stored_a_second: float
    settled_seconds: float
    """From the first message until nothing waits: neither a step nor the index."""
    recalls_a_second: float
    recall_milliseconds: float
    """The median."""
    milliseconds_a_message: dict[str, float]
    """Processor time by kind of process, storing, climbing and indexing together."""
    milliseconds_a_recall: dict[str, float]


def main() -> None:
    """Measure both shapes, compare, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--entities", type=int, default=24)
    parser.add_argument("--messages", type=int, default=30, help="of each entity (30)")
    parser.add_argument("--recalls", type=int, default=40, help="of each of the eight clients (40)")
    parser.add_argument("--webs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=3)
    options = parser.parse_args()
    size = Size(options.entities, options.messages, options.recalls)
    with installation(**AT_ONCE):
        told = measure(size, [Shape(1, 1), Shape(options.webs, options.workers)])
        told |= machine() | {"load": [round(load, 2) for load in os.getloadavg()]}
    print(json.dumps(told))


def measure(size: Size, shapes: Sequence[Shape]) -> dict[str, Any]:
    """Each shape in a workspace of its own; ends the program where they made different things."""
    from memory.ingest.workspaces import create_workspace

    rounds, made = [], []
    for shape in shapes:
        created = create_workspace(name=str(shape))
        with _processes(shape) as (webs, workers):
            _warm(created, webs)
            rounds.append(_round(created, webs, workers, size))
        made.append(made_of(created.workspace, names(size.entities)))
        note(f"{shape}: {rounds[-1]}")
    refuse_problems()
    same = compare(made, messages=size.entities * size.messages)
    for line in _lines(shapes, rounds):
        print(line)
    told = [{"shape": str(shape), **asdict(one)} for shape, one in zip(shapes, rounds, strict=True)]
    return {"benchmark": "scaling", **asdict(size), "rounds": told, **same}


@contextmanager
def _processes(shape: Shape) -> Iterator[tuple[list[Served], list[Process]]]:
    with ExitStack() as ends:
        webs = [ends.enter_context(served()) for _ in range(shape.webs)]
        workers = [ends.enter_context(working()) for _ in range(shape.workers)]
        yield webs, workers


def _warm(created: CreatedWorkspace, webs: Sequence[Served]) -> None:
    """Connections, prompts and the embedder are there before anything is counted."""
    asked: list[list[Request]] = [
        [*records(WARM, client, 10), *questions(WARM[client : client + 1], client, 1)]
        for client in range(CLIENTS)
    ]
    _put(created, webs, asked)
    _wait(created)


def _round(
    created: CreatedWorkspace, webs: Sequence[Served], workers: Sequence[Process], size: Size
) -> Round:
    kinds = _kinds(webs, workers)
    asked = [records(names(size.entities), client, size.messages) for client in range(CLIENTS)]
    began, used = time.perf_counter(), _used(kinds)
    stored = _put(created, webs, asked)
    _wait(created)
    settled, climbed = time.perf_counter() - began, _used(kinds)
    asked = [questions(names(size.entities), client, size.recalls) for client in range(CLIENTS)]
    recalled = _put(created, webs, asked)
    spent = _used(kinds)
    messages = size.entities * size.messages
    recalls = CLIENTS * size.recalls
    return Round(
        stored_a_second=round(messages / stored.seconds, 1),
        settled_seconds=round(settled, 2),
        recalls_a_second=round(recalls / recalled.seconds, 1),
        recall_milliseconds=round(statistics.median(recalled.milliseconds), 1),
        milliseconds_a_message=_each(used, climbed, messages),
        milliseconds_a_recall=_each(climbed, spent, recalls),
    )


def _put(created: CreatedWorkspace, webs: Sequence[Served], clients: Sequence[list[Request]]) -> Load:
    return put([web.address for web in webs], bearer(created.token), clients)


def _wait(created: CreatedWorkspace) -> None:
    """Until no step of any entity has anything to do and everything is indexed."""
    from django.db.models import Q

    from memory.measuring.settling import first_waiting
    from memory.models import Entity, Unindexed, Work

    entities = list(Entity.objects.filter(workspace=created.workspace))
    busy = Work.objects.for_workspace(created.workspace.pk).filter(
        Q(due_at__isnull=False) | Q(lease_until__isnull=False)
    )
    waiting = Unindexed.objects.filter(workspace=created.workspace)

    def is_at_rest() -> bool:
        if busy.exists() or waiting.exists():
            return False
        return all(first_waiting(entity) is None for entity in entities)

    wait_until(is_at_rest, "the rest", seconds=LONGEST_SECONDS, poll_seconds=POLL_SECONDS)


def _kinds(webs: Sequence[Served], workers: Sequence[Process]) -> dict[str, Callable[[], float]]:
    """By kind of process, how to read the processor time that all of them took."""
    return {
        "web": lambda: sum(web.process.processor_seconds for web in webs),
        "worker": lambda: sum(worker.processor_seconds for worker in workers),
        "database": database_seconds,
    }


def _used(kinds: dict[str, Callable[[], float]]) -> dict[str, float]:
    return {name: read() for name, read in kinds.items()}


def _each(before: dict[str, float], after: dict[str, float], count: int) -> dict[str, float]:
    return {name: round((after[name] - before[name]) * 1_000 / count, 2) for name in before}


def _lines(shapes: Sequence[Shape], rounds: Sequence[Round]) -> Iterator[str]:
    first, last = rounds[0], rounds[-1]
    yield f"| | {' | '.join(map(str, shapes))} | faster |"
    yield "| --- | ---: | ---: | ---: |"
    for name, before, after, faster in (
        (
            "messages stored a second",
            first.stored_a_second,
            last.stored_a_second,
            last.stored_a_second / first.stored_a_second,
        ),
        (
            "seconds until all is at rest",
            first.settled_seconds,
            last.settled_seconds,
            first.settled_seconds / last.settled_seconds,
        ),
        (
            "recalls a second",
            first.recalls_a_second,
            last.recalls_a_second,
            last.recalls_a_second / first.recalls_a_second,
        ),
    ):
        yield f"| {name} | {before:g} | {after:g} | {faster:.2f} |"
    for kind in ("web", "worker", "database"):
        yield (
            f"| processor of {kind}, ms a message / a recall"
            f" | {first.milliseconds_a_message[kind]} / {first.milliseconds_a_recall[kind]}"
            f" | {last.milliseconds_a_message[kind]} / {last.milliseconds_a_recall[kind]} | |"
        )


if __name__ == "__main__":
    main()
