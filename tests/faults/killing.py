"""Workers that are killed one after the other while words come in, and what is left of it all."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from benchmarks.snapshot import Snapshot, snapshot
from memory.cascade.work import parked_counts
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Entity, Message, ProcedureLine, Run
from memory.skills.traces import IncomingStep, record_trace
from memory.stewardship.verify import Problem, verify
from memory.walkthrough.incoming import incoming_messages
from memory.walkthrough.story import story
from memseek_site.embedded.children import die_with_parent
from tests.factories import make_workspace
from tests.faults.resting import first_that_waits
from tests.faults.worker import NOWHERE
from tests.setup.commands import ROOT

PATIENCE_SECONDS = 40.0
SETTLE_SECONDS = 40.0
POLL_SECONDS = 0.1


def parts() -> tuple[tuple[IncomingMessage, ...], ...]:
    """The tour's words in three parts: its first session in two, and the second one, which changes things."""
    first, second = map(incoming_messages, story())
    return first[:5], first[5:], second


def make_entities(workspace: str, count: int) -> list[Entity]:
    """Entities of the same names in each workspace, so that nothing but their owner differs."""
    owner = make_workspace(workspace)
    return [ensure_entity(workspace=owner, name=f"agent.{number}") for number in range(count)]


def say_to_all(entities: Sequence[Entity], messages: Sequence[IncomingMessage]) -> None:
    """Store the messages for every entity, one call each, as a chat does."""
    for message in messages:
        for entity in entities:
            append_messages(entity=entity, messages=[message])


def show_to_all(entities: Sequence[Entity], number: int) -> None:
    """Store a trace for every entity, each of the same kind of task."""
    steps = [
        IncomingStep(kind="action", text="Run the tests of the service"),
        IncomingStep(kind="action", text="Deploy the canary"),
        IncomingStep(kind="check", text="The error rate stays flat"),
    ]
    task = f"Deploy the service in round {number}"
    for entity in entities:
        record_trace(entity=entity, task=task, outcome="success", steps=steps, external_id=str(number))


class Ground:
    """Where workers live and die: one after the other, forked by a nursery on this test's database."""

    def __init__(self, variables: Mapping[str, str], folder: Path) -> None:
        self._deaths = folder / "deaths.log"
        self._log = folder / "worker.log"
        with self._log.open("wb") as log:
            self._nursery = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.worker"],
                cwd=ROOT,
                env={**variables, "FAULT_LOG": str(self._deaths)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                preexec_fn=die_with_parent(signal.SIGKILL),  # noqa: PLW1509 - it only calls the kernel
            )
        self.worker = 0
        """Process number of the last worker."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_group()
        self._nursery.kill()
        self._nursery.communicate()

    @property
    def deaths(self) -> Counter[str]:
        """How often each point was the last that a worker reached, as the workers told it."""
        return Counter(self._deaths.read_text().split() if self._deaths.exists() else [])

    def start(self, point: str = NOWHERE, nth: int = 0) -> None:
        """A worker that kills itself the n-th time it reaches the point; by default it lives on."""
        assert self._nursery.stdin is not None
        self._nursery.stdin.write(f"{point} {nth}\n".encode())
        self.worker = self._answer()

    def see_die(self) -> None:
        """Wait for a death by SIGKILL."""
        exit_code = self._answer()
        assert exit_code == -signal.SIGKILL, self._output
        self._end_group()

    def settle(self) -> None:
        """Let a worker that nobody kills finish what is left, and stop it."""
        self.start()
        wait_until_at_rest()
        os.kill(self.worker, signal.SIGTERM)
        assert self._answer() == 0, self._output
        self._end_group()

    @property
    def _output(self) -> str:
        return self._log.read_text(errors="replace")

    def _answer(self) -> int:
        told = self._nursery.stdout
        assert told is not None
        readable, _, _ = select.select([told], [], [], PATIENCE_SECONDS)
        assert readable, f"the worker neither started nor ended:\n{self._output}"
        return int(told.readline())

    def _end_group(self) -> None:
        """SIGKILL to what a killed worker leaves behind: its clock looks for it only once a second."""
        if self.worker:
            with suppress(ProcessLookupError):
                os.killpg(self.worker, signal.SIGKILL)
            self.worker = 0


def wait_until_at_rest() -> None:
    """Until nothing is wrong any more; after a while whatever is left is an assertion error."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while first_that_waits() is not None and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    problems = verify(is_settled=True)
    assert problems == [], problems


@dataclass(frozen=True)
class Left:
    """What stands after all the killing, of one entity."""

    words: Counter[tuple[str, str]]
    problems: list[Problem]
    parked: int
    memory: Snapshot
    drafts: list[tuple[str, str]]
    """Lines that wait for a review, by section."""


def left_of(entity: Entity) -> Left:
    """Read it."""
    drafted = ProcedureLine.objects.for_entity(entity).filter(version__status="draft")
    words = Message.objects.for_entity(entity).values_list("session__external_id", "text")
    return Left(
        words=Counter(words),
        problems=verify(entity, is_settled=True),
        parked=sum(parked_counts(entity).values()),
        memory=snapshot(entity),
        drafts=list(drafted.order_by("position").values_list("section", "text")),
    )


def lost_runs() -> Counter[str]:
    """Runs whose worker vanished, by step."""
    abandoned = Run.objects.filter(status=Run.Status.ABANDONED)
    return Counter(str(step) for step in abandoned.values_list("step", flat=True))
