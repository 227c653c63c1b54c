"""What follows a failed attempt: arithmetic over the kind of error, how often it failed, and the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

TRIES_BEFORE_SPLIT = 3
SPLIT_AT_ONCE = frozenset({"cut_off", "refusal", "context_length"})
"""Kinds for which the same batch gives the same failure: a smaller one is asked for without waiting."""
PERMANENT_RETRY_SECONDS = 300.0
TRANSIENT_PARKED_RETRY_SECONDS = 600.0


CONFIGURATION_KINDS = frozenset(
    {
        "http_401",
        "http_402",
        "http_403",
        "http_404",
        "bad_endpoint",
        "bad_provider",
        "unknown_design",
        "run_calls",
        "run_tokens",
        "run_seconds",
    }
)
"""Kinds that no batch would escape: a refused key, an unknown model or design, a budget that is too small."""


class Nature(StrEnum):
    """Whose fault a failure is."""

    ANSWER = "answer"
    """The model answered, but not usably: the batch may hold something it cannot bear."""
    TRANSIENT = "transient"
    """The endpoint or the way to it."""
    PERMANENT = "permanent"
    """The configuration: no batch would do better."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Try again after a pause, with a batch of at most `batch_limit` inputs, or park the one input."""

    delay_seconds: float
    batch_limit: int | None
    is_parked: bool = False


def plan_after_failure(
    *,
    kind: str,
    nature: Nature,
    failures: int,
    batch_size: int,
    batch_limit: int | None,
    retry_seconds: Sequence[float],
) -> Plan:
    """Say what to do after the `failures`-th failure in a row (this one counted) of a batch of `batch_size`.

    A batch that goes on failing is halved until what cannot be read stands alone; that one is parked.
    """
    if nature is Nature.PERMANENT:
        return Plan(PERMANENT_RETRY_SECONDS, batch_limit)
    delay = retry_seconds[min(failures, len(retry_seconds)) - 1] if retry_seconds else 0.0
    is_splitting = kind in SPLIT_AT_ONCE or failures >= TRIES_BEFORE_SPLIT or batch_limit is not None
    if not is_splitting:
        return Plan(delay, batch_limit)
    pause = delay if nature is Nature.TRANSIENT else 0.0
    if batch_size > 1:
        return Plan(pause, batch_size // 2)
    if failures < TRIES_BEFORE_SPLIT:
        return Plan(delay, 1)
    return Plan(pause, 1, is_parked=True)


def limit_after_success(batch_limit: int | None, *, full_size: int) -> int | None:
    """Double the limit of a split batch until it is whole again."""
    if batch_limit is None or batch_limit * 2 >= full_size:
        return None
    return batch_limit * 2
