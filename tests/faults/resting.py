"""Waiting until the cascade is at rest, with a look at everything only once it is."""

from __future__ import annotations

from memory.stewardship.verify import WHEN_SETTLED
from memory.stewardship.verifying.checks import Problem


def first_that_waits() -> Problem | None:
    """Something that waits, runs or has lost its ground; cheaper to ask for again and again than all."""
    return next((problem for check in WHEN_SETTLED for problem in check.problems(None, 1)), None)
