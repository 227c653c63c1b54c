"""Counting in Redis, all counters of a request there and back once; in this process while that fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from redis import ConnectionPool, Redis
from redis.exceptions import NoScriptError, RedisError

from memory.limiting.windows import Counter, Window

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 0.1
"""Every request waits for this, so a Redis that is well and slower is as good as away."""
REST_SECONDS = 5.0
"""So long after a failure this process counts alone, and then one request asks again."""
MILLISECONDS = 1_000
PREFIX = "memseek:rate"


class RedisCounters:
    """Counters that all processes share."""

    def __init__(self, address: str) -> None:
        waits = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
        pool = ConnectionPool.from_url(address, **waits)
        self._storage = RedisStorage("redis://", connection_pool=pool)
        self._client = Redis(connection_pool=pool)

    def take(self, counters: Sequence[Counter]) -> list[Window]:
        """Count one request in each; RedisError when there is no answer."""
        try:
            return self._take(counters)
        except NoScriptError:
            # The server was started anew since, and knows no scripts.
            for script in (self._storage.lua_acquire_sliding_window, self._storage.lua_sliding_window):
                self._client.script_load(script.script)
            return self._take(counters)

    def _take(self, counters: Sequence[Counter]) -> list[Window]:
        acquire, look = self._storage.lua_acquire_sliding_window, self._storage.lua_sliding_window
        pipeline = self._client.pipeline(transaction=False)
        for counter in counters:
            name = f"{{{PREFIX}:{counter.name}}}"
            keys = (f"{name}/-1", name)
            pipeline.evalsha(acquire.sha, len(keys), *keys, counter.amount, counter.seconds, 1)
            pipeline.evalsha(look.sha, len(keys), *keys, counter.seconds)
        told = iter(pipeline.execute())
        return [_window(counter, next(told), next(told)) for counter in counters]


def _window(counter: Counter, acquired: Any, told: Any) -> Window:
    before, before_milliseconds, now, now_milliseconds = (max(0, int(value or 0)) for value in told)
    return Window(
        counter,
        bool(acquired),
        before,
        before_milliseconds / MILLISECONDS,
        now,
        now_milliseconds / MILLISECONDS,
    )


class LocalCounters:
    """Counters of this process."""

    def __init__(self) -> None:
        self._storage = MemoryStorage()
        self._limiter = SlidingWindowCounterRateLimiter(self._storage)

    def take(self, counters: Sequence[Counter]) -> list[Window]:
        """Count one request in each."""
        return [self._taken(counter) for counter in counters]

    def _taken(self, counter: Counter) -> Window:
        item = RateLimitItemPerSecond(counter.amount, counter.seconds)
        is_allowed = self._limiter.hit(item, counter.name)
        return Window(
            counter,
            is_allowed,
            *self._storage.get_sliding_window(item.key_for(counter.name), counter.seconds),
        )


class Counters:
    """The shared ones where they answer, this process's own otherwise; threads may share it."""

    def __init__(self, shared: RedisCounters) -> None:
        self._shared = shared
        self._local = LocalCounters()
        self._rests_until = 0.0

    def take(self, counters: Sequence[Counter]) -> list[Window]:
        """Count one request in each. Never raises."""
        if time.monotonic() >= self._rests_until:
            try:
                return self._shared.take(counters)
            except (RedisError, OSError) as error:
                self._rests_until = time.monotonic() + REST_SECONDS
                logger.warning("rates are counted by this process alone: %s", type(error).__name__)
        return self._local.take(counters)


@cache
def counters() -> Counters:
    """The counters of the installation."""
    return Counters(RedisCounters(address_of_redis(settings.CELERY_BROKER_URL)))


def address_of_redis(broker: str) -> str:
    """The broker's address as the Redis client takes it: Celery calls a socket and its database otherwise."""
    parts = urlsplit(broker)
    if parts.scheme != "redis+socket":
        return broker
    [number] = parse_qs(parts.query).get("virtual_host", ["0"])
    credentials = f"{parts.netloc}" if "@" in parts.netloc else ""
    return f"unix://{credentials}{parts.path}?db={number}"
