"""A service that failed is left alone, then tried by one."""

from memory.llm.embedders.breaker import Breaker


class Clock:
    """Time that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def breaker_at(clock: Clock) -> Breaker:
    return Breaker(first_pause_seconds=5, longest_pause_seconds=12, clock=clock)


def test_after_a_failure_one_call_tries_and_the_pause_grows_to_its_limit() -> None:
    clock = Clock()
    breaker = breaker_at(clock)
    assert [breaker.admits(), breaker.admits()] == [True, True]
    breaker.failed("timeout")

    admitted = []
    for pause in (5, 10, 12, 12):
        clock.now += pause - 0.1
        before = breaker.admits()
        clock.now += 0.1
        admitted.append((before, breaker.admits(), breaker.admits()))
        breaker.failed("network")

    assert admitted == [(False, True, False)] * 4
    assert breaker.reason == "network"


def test_calls_that_fail_together_count_once() -> None:
    clock = Clock()
    breaker = breaker_at(clock)
    for _ in range(3):
        breaker.failed("timeout")
    clock.now += 5

    assert breaker.admits()


def test_a_success_opens_the_way_for_everybody() -> None:
    clock = Clock()
    breaker = breaker_at(clock)
    breaker.failed("timeout")
    clock.now += 5
    assert breaker.admits()
    breaker.succeeded()

    assert ([breaker.admits(), breaker.admits()], breaker.reason) == ([True, True], "")
    breaker.failed("timeout")
    clock.now += 5
    assert breaker.admits()


def test_a_trial_nobody_reports_does_not_close_the_way_for_good() -> None:
    clock = Clock()
    breaker = breaker_at(clock)
    breaker.failed("timeout")
    clock.now += 5
    assert [breaker.admits(), breaker.admits()] == [True, False]
    clock.now += 5

    assert breaker.admits()
