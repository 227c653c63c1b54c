"""Waiting for memory: how long, and when no more."""

from __future__ import annotations

import asyncio
import threading

import pytest
from django.db import OperationalError, connection
from psycopg.errors import QueryCanceled

from memory.proxy.errors import NO_SCOPE, Refused
from memory.proxy.threads import LATE_IN_A_ROW, READERS, MemoryDown, Threads


def outcome_of(threads: Threads, action: object, *, seconds: float = 20, is_check: bool = False) -> str:
    """What a chat would be told."""
    wait = threads.check if is_check else threads.read

    async def ask() -> str:
        try:
            return str(await wait(action, seconds=seconds, passing=(Refused,)))  # type: ignore[arg-type]
        except MemoryDown as down:
            return down.problem
        except Refused as refused:
            return refused.code

    return asyncio.run(ask())


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


def refused() -> None:
    raise NO_SCOPE()


def broken() -> None:
    raise OperationalError


def wrong() -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("action", "told", "is_left_alone"),
    [
        (lambda: "found", "found", False),
        (refused, "no_scope", False),
        (wrong, "memory_failed", False),
        (broken, "memory_unavailable", True),
    ],
)
def test_only_a_database_that_fails_is_left_alone(action: object, told: str, is_left_alone: bool) -> None:
    threads = Threads()
    assert outcome_of(threads, action) == told
    assert outcome_of(threads, lambda: "next") == ("memory_unavailable" if is_left_alone else "next")


def test_one_slow_memory_is_its_own_chats_business_and_several_are_everybodys(gate: threading.Event) -> None:
    threads = Threads(slow_seconds=0.01)
    try:
        assert outcome_of(threads, gate.wait, seconds=0.05) == "memory_slow"
        assert outcome_of(threads, lambda: "next") == "next"
        for _ in range(LATE_IN_A_ROW):
            assert outcome_of(threads, gate.wait, seconds=0.05) == "memory_slow"
        assert outcome_of(threads, lambda: "next") == "memory_unavailable"
    finally:
        gate.set()


def busy(threads: Threads, gate: threading.Event) -> None:
    """Every thread that reads has something to do until the gate opens."""
    begun = threading.Barrier(READERS + 1)

    def work() -> None:
        begun.wait()
        gate.wait()

    for _ in range(READERS):
        threads._readers.executor.submit(work)
    begun.wait()


def test_many_chats_at_once_are_no_failure_of_the_database(gate: threading.Event) -> None:
    threads = Threads(slow_seconds=0.01)
    busy(threads, gate)
    try:
        for _ in range(LATE_IN_A_ROW + 1):
            assert outcome_of(threads, lambda: "in vain", seconds=0.05) == "memory_slow"
    finally:
        gate.set()
    assert outcome_of(threads, lambda: "next") == "next"


def test_what_was_given_too_little_time_says_nothing_of_the_database(gate: threading.Event) -> None:
    threads = Threads(slow_seconds=60)
    try:
        for _ in range(LATE_IN_A_ROW + 1):
            assert outcome_of(threads, gate.wait, seconds=0.05) == "memory_slow"
    finally:
        gate.set()
    assert outcome_of(threads, lambda: "next") == "next"


def test_a_statement_that_was_ended_is_slow_and_no_failure() -> None:
    def ended() -> None:
        raise OperationalError from QueryCanceled()

    threads = Threads(slow_seconds=60)
    assert outcome_of(threads, ended) == "memory_slow"
    assert outcome_of(threads, lambda: "next") == "next"


def test_keys_are_checked_while_what_is_recalled_is_slow(gate: threading.Event) -> None:
    threads = Threads(slow_seconds=0.01)
    try:
        for _ in range(LATE_IN_A_ROW):
            assert outcome_of(threads, lambda: "opened", is_check=True) == "opened"
            assert outcome_of(threads, gate.wait, seconds=0.05) == "memory_slow"
        assert outcome_of(threads, lambda: "opened", is_check=True) == "opened"
        assert outcome_of(threads, lambda: "next") == "memory_unavailable"
    finally:
        gate.set()


def test_a_key_does_not_wait_behind_what_is_recalled(gate: threading.Event) -> None:
    threads = Threads()
    busy(threads, gate)
    try:
        assert outcome_of(threads, lambda: "opened", is_check=True) == "opened"
    finally:
        gate.set()


@pytest.mark.django_db
def test_a_statement_that_nobody_waits_for_is_ended() -> None:
    def shown() -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW statement_timeout")
            return str(cursor.fetchone()[0])

    threads = Threads()
    assert outcome_of(threads, shown) == "20s"
    assert asyncio.run(threads.write(shown)) == "0"
