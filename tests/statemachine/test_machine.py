"""A memory to which everything happens, in any order: the checker finds it whole after each step.

The ordinary suite plays a few short stories; MACHINE_EXAMPLES and MACHINE_STEPS make them more and longer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from memory.models import Step
from tests.cascade.talks import folding
from tests.cascade.test_cascade_properties import without_pauses
from tests.statemachine.machine import MemoryMachine

EXAMPLES = int(os.environ.get("MACHINE_EXAMPLES", "8"))
STEPS = int(os.environ.get("MACHINE_STEPS", "10"))


class Counted(MemoryMachine):
    """The machine, and how often it was found whole."""

    looks = 0

    @invariant()
    def is_looked_at(self) -> None:
        Counted.looks += 1


def play(machine: type[MemoryMachine], **more: Any) -> None:
    """Some stories; an AssertionError for the first that ends badly."""
    chosen: dict[str, Any] = {
        "max_examples": EXAMPLES,
        "stateful_step_count": STEPS,
        "deadline": None,
        **more,
    }
    with without_pauses(), folding():
        run_state_machine_as_test(
            machine, settings=settings(suppress_health_check=list(HealthCheck), **chosen)
        )


@pytest.mark.django_db(transaction=True)
def test_a_memory_stays_whole_whatever_happens_to_it_in_whatever_order() -> None:
    before = Counted.looks
    play(Counted)
    assert Counted.looks - before > EXAMPLES


def _erased(machine: MemoryMachine) -> None:
    machine.erase_a_message(0)


def _corrected_meanwhile(machine: MemoryMachine) -> None:
    machine.correct_meanwhile(Step.L1_EXTRACT, "word_trait", 0)


def _left_in_peace(machine: MemoryMachine) -> None:
    machine.teardown()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("broken", "story"),
    [
        ("tests.statemachine.erasing.erase", _erased),
        ("memory.stewardship.erasing.operation.remove_units", _erased),
        ("memory.cascade.work.interrupt", _corrected_meanwhile),
        ("memory.indexing.step.write_vectors", _left_in_peace),
    ],
    ids=("erases nothing", "found by erased words", "overtaken run writes", "no vectors"),
)
def test_what_does_nothing_is_found(
    monkeypatch: pytest.MonkeyPatch, broken: str, story: Callable[[MemoryMachine], None]
) -> None:
    """The machine is worth something only if it can fail."""
    monkeypatch.setattr(broken, lambda *_, **__: None)
    with without_pauses(), folding():
        machine = MemoryMachine()
        machine.tell_something(is_read=False)
        machine.index()
        with pytest.raises(AssertionError):
            story(machine)
