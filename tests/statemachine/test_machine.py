"""A memory to which everything happens, in any order: the checker finds it whole after each step.

The ordinary suite plays a few short stories; MACHINE_EXAMPLES and MACHINE_STEPS make them more and longer.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.cascade.talks import folding
from tests.cascade.test_cascade_properties import without_pauses
from tests.statemachine.machine import MemoryMachine

EXAMPLES = int(os.environ.get("MACHINE_EXAMPLES", "8"))
STEPS = int(os.environ.get("MACHINE_STEPS", "12"))


@pytest.mark.django_db(transaction=True)
def test_a_memory_stays_whole_whatever_happens_to_it_in_whatever_order() -> None:
    with without_pauses(), folding():
        run_state_machine_as_test(
            MemoryMachine,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
