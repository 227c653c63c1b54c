"""What follows a failed attempt: pauses, halving down to the one input, parking."""

import pytest

from memory.cascade.failures import (
    PERMANENT_RETRY_SECONDS,
    SPLIT_AT_ONCE,
    Nature,
    Plan,
    limit_after_success,
    plan_after_failure,
)

RETRIES = (5.0, 20.0, 80.0)


def plan(
    failures: int,
    *,
    size: int = 20,
    limit: int | None = None,
    kind: str = "no_answer",
    nature: Nature = Nature.ANSWER,
) -> Plan:
    return plan_after_failure(
        kind=kind,
        nature=nature,
        failures=failures,
        batch_size=size,
        batch_limit=limit,
        retry_seconds=RETRIES,
    )


def test_a_transient_failure_waits_longer_each_time_before_the_batch_is_split() -> None:
    pauses = [plan(failures, nature=Nature.TRANSIENT, kind="http_503") for failures in (1, 2, 3, 4)]
    assert pauses == [Plan(5.0, None), Plan(20.0, None), Plan(80.0, 10), Plan(80.0, 10)]


def test_a_bad_answer_is_split_after_three_failures_without_a_pause() -> None:
    assert [plan(failures) for failures in (1, 2, 3)] == [Plan(5.0, None), Plan(20.0, None), Plan(0.0, 10)]


@pytest.mark.parametrize("kind", sorted(SPLIT_AT_ONCE))
def test_what_fails_the_same_way_again_is_split_at_once(kind: str) -> None:
    assert plan(1, kind=kind) == Plan(0.0, 10)


def test_a_split_batch_goes_on_being_halved_at_every_failure() -> None:
    assert [plan(1, size=size, limit=size) for size in (10, 5, 3, 2)] == [
        Plan(0.0, 5),
        Plan(0.0, 2),
        Plan(0.0, 1),
        Plan(0.0, 1),
    ]


def test_one_input_gets_its_three_tries_and_is_then_parked() -> None:
    tries = [plan(failures, size=1, limit=1) for failures in (1, 2, 3)]
    assert tries == [Plan(5.0, 1), Plan(20.0, 1), Plan(0.0, 1, is_parked=True)]


def test_a_batch_of_one_that_was_never_split_is_parked_too() -> None:
    assert plan(3, size=1) == Plan(0.0, 1, is_parked=True)
    assert plan(1, size=1, kind="refusal") == Plan(5.0, 1)


@pytest.mark.parametrize("failures", [1, 3, 50])
def test_a_wrong_configuration_neither_splits_nor_parks(failures: int) -> None:
    assert plan(failures, size=1, nature=Nature.PERMANENT, kind="http_401") == Plan(
        PERMANENT_RETRY_SECONDS, None
    )


@pytest.mark.parametrize("size", range(1, 60))
def test_halving_reaches_one_input_in_few_steps(size: int) -> None:
    limit, steps = size, 0
    while limit > 1:
        limit = plan(1, size=limit, limit=limit).batch_limit or 0
        steps += 1
    assert (limit, steps <= 6) == (1, True)


def test_after_a_success_the_limit_doubles_until_the_batch_is_whole() -> None:
    assert [limit_after_success(limit, full_size=20) for limit in (None, 1, 2, 5, 9, 10, 20)] == [
        None,
        2,
        4,
        10,
        18,
        None,
        None,
    ]
