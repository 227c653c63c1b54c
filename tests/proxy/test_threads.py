"""Waiting for memory: how long, and when no more."""

from __future__ import annotations

import asyncio
import threading

import pytest
from django.db import OperationalError

from memory.proxy.errors import NO_SCOPE, Refused
from memory.proxy.threads import LATE_IN_A_ROW, MemoryDown, Threads


def outcome_of(threads: Threads, action: object) -> str:
    """What a chat would be told."""

    async def ask() -> str:
        try:
            return str(await threads.read(action, seconds=0.05, passing=(Refused,)))  # type: ignore[arg-type]
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
    threads = Threads()
    try:
        assert outcome_of(threads, gate.wait) == "memory_slow"
        assert outcome_of(threads, lambda: "next") == "next"
        for _ in range(LATE_IN_A_ROW):
            assert outcome_of(threads, gate.wait) == "memory_slow"
        assert outcome_of(threads, lambda: "next") == "memory_unavailable"
    finally:
        gate.set()
