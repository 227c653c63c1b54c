"""A memory to which everything happens, in any order: the checker finds it whole after each step.

The ordinary suite plays a few short stories; MACHINE_EXAMPLES and MACHINE_STEPS make them more and longer.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from tests.cascade.talks import folding
from tests.cascade.test_cascade_properties import without_pauses
from tests.statemachine.machine import MemoryMachine

EXAMPLES = int(os.environ.get("MACHINE_EXAMPLES", "8"))
STEPS = int(os.environ.get("MACHINE_STEPS", "12"))


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


@pytest.mark.django_db(transaction=True)
def test_an_erase_that_leaves_everything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine is worth something only if it can fail."""
    monkeypatch.setattr("tests.statemachine.machine.erase", lambda **_: None)
    with without_pauses(), folding():
        machine = MemoryMachine()
        machine.say("s1", "user", 0, 1)
        machine.climb()
        with pytest.raises(AssertionError):
            machine.erase_a_message(0)
