"""A sliding window, in figures."""

from __future__ import annotations

import pytest

from memory.limiting.counters import address_of_redis
from memory.limiting.windows import Counter, Window

TEN = Counter("x", 10)


@pytest.mark.parametrize(
    ("window", "used", "remaining", "wait", "reset"),
    [
        (Window(TEN, True, 0, 0, 1, 120), 1, 9, 60, 60),
        (Window(TEN, True, 10, 30, 2, 90), 7, 3, 1, 30),
        (Window(TEN, False, 10, 30, 5, 90), 10, 0, 6, 30),
        (Window(TEN, False, 0, 0, 10, 90), 10, 0, 36, 30),
        (Window(TEN, False, 20, 60, 0, 120), 20, 0, 33, 60),
    ],
)
def test_the_earlier_window_counts_less_and_less(
    window: Window, used: float, remaining: int, wait: int, reset: int
) -> None:
    assert (window.used, window.remaining, window.reset_seconds) == (used, remaining, reset)
    if not window.is_allowed:
        assert window.wait_seconds == wait


@pytest.mark.parametrize(
    ("broker", "address"),
    [
        ("redis://user:word@host:6379/2", "redis://user:word@host:6379/2"),
        ("rediss://host/0", "rediss://host/0"),
        ("redis+socket:///run/a b.sock?virtual_host=3", "unix:///run/a b.sock?db=3"),
        ("redis+socket://:word@/run/broker.sock?virtual_host=0", "unix://:word@/run/broker.sock?db=0"),
    ],
)
def test_the_address_of_the_broker_is_the_one_of_the_counters(broker: str, address: str) -> None:
    assert address_of_redis(broker) == address
