"""`python -m benchmarks.limiting`: what counting a request costs, with Redis and without it.

Rates of a key and of its address are counted together, request by request in one thread. The last line is
JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import uuid
from collections.abc import Sequence
from typing import Any

from benchmarks.installation import installation, machine

TARGET_MILLISECONDS = 0.3
WARMING = 200


def main() -> None:
    """Count, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limiting", description=__doc__)
    parser.add_argument("--requests", type=int, default=5_000)
    options = parser.parse_args()
    with installation():
        told = measure(options.requests) | machine()
    print(json.dumps(told))


def measure(requests: int) -> dict[str, Any]:
    """Milliseconds of a request."""
    from django.conf import settings

    from memory.limiting.counters import LocalCounters, RedisCounters, address_of_redis

    places = {
        "with_redis": RedisCounters(address_of_redis(settings.CELERY_BROKER_URL)),
        "alone": LocalCounters(),
    }
    told: dict[str, Any] = {"benchmark": "limiting", "requests": requests, "wanted": TARGET_MILLISECONDS}
    for name, counted in places.items():
        took = _timed(counted, requests)
        told[name] = {
            "p50": round(statistics.median(took), 3),
            "p95": round(statistics.quantiles(took, n=20)[-1], 3),
        }
    return told


def _timed(counted: Any, requests: int) -> Sequence[float]:
    from memory.limiting.windows import Counter

    key, address = (Counter(uuid.uuid4().hex, 1_000_000) for _ in range(2))
    took = []
    for _ in range(requests + WARMING):
        began = time.perf_counter()
        counted.take([key, address])
        took.append(1_000 * (time.perf_counter() - began))
    return took[WARMING:]


if __name__ == "__main__":
    main()
