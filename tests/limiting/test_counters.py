"""Counting in the real Redis, and without it."""

from __future__ import annotations

import uuid

import pytest

from memory.limiting.counters import Counters, LocalCounters, RedisCounters, address_of_redis
from memory.limiting.windows import Counter


@pytest.fixture
def shared(broker_url: str) -> RedisCounters:
    return RedisCounters(address_of_redis(broker_url))


def fresh(amount: int = 3) -> Counter:
    return Counter(uuid.uuid4().hex, amount)


@pytest.mark.parametrize("place", ["shared", "local"])
def test_as_many_are_taken_as_may_be(shared: RedisCounters, place: str) -> None:
    counted = shared if place == "shared" else LocalCounters()
    counter, other = fresh(), fresh(100)
    windows = [counted.take([counter, other]) for _ in range(5)]
    assert [(first.is_allowed, first.remaining) for first, _ in windows] == [
        (True, 2),
        (True, 1),
        (True, 0),
        (False, 0),
        (False, 0),
    ]
    assert [second.remaining for _, second in windows] == [99, 98, 97, 96, 95]
    assert 0 < windows[-1][0].wait_seconds <= 120


def test_processes_share_what_they_count(broker_url: str, shared: RedisCounters) -> None:
    other, counter = RedisCounters(address_of_redis(broker_url)), fresh()
    told = [counted.take([counter])[0].remaining for counted in (shared, other, shared)]
    assert told == [2, 1, 0]


def test_a_server_that_knows_no_scripts_is_told_them(shared: RedisCounters) -> None:
    shared._client.script_flush()
    assert shared.take([fresh()])[0].remaining == 2


def test_without_redis_the_process_counts_alone_and_asks_again_later(
    shared: RedisCounters, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    away, counter = RedisCounters("unix:///nowhere/broker.sock?db=0"), fresh()
    own = Counters(away)
    assert [own.take([counter])[0].is_allowed for _ in range(4)] == [True, True, True, False]
    assert [record.message for record in caplog.records] == [
        "rates are counted by this process alone: ConnectionError"
    ]
    monkeypatch.setattr(own, "_shared", shared)
    assert own.take([counter])[0].is_allowed is False
    monkeypatch.setattr(own, "_rests_until", 0.0)
    assert own.take([counter])[0].remaining == 2
