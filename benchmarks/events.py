"""`python -m benchmarks.events`: five hundred open streams on one web process.

A real server runs with its databases. So many streams are opened, each of one of a few entities; then events
are committed one after the other, and every stream tells when each arrived. Measured are the server's memory
before and with the streams, what an idle stream costs, and the time from commit to arrival. Reads `/proc`, so
it needs Linux. The last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from benchmarks.installation import installation, machine, note
from benchmarks.processes import Process, served
from benchmarks.recall import bearer

ENTITIES = 10
PAUSE_SECONDS = 0.2
IDLE_SECONDS = 10.0
TARGET_MEGABYTES = 100.0
KEYS = 50


def main() -> None:
    """Open, write, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.events", description=__doc__)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--events", type=int, default=100, help="committed one after the other (100)")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with installation():
        told = measure(options.streams, options.events) | machine()
    for name, value in told.items():
        print(f"{name}: {value}")
    print(json.dumps(told))


def measure(streams: int, events: int) -> dict[str, Any]:
    """All figures."""
    from memory.ingest.entities import ensure_entity
    from memory.ingest.workspaces import create_key, create_workspace

    created = create_workspace(name="benchmark")
    entities = [
        ensure_entity(workspace=created.workspace, name=f"agent.{number}") for number in range(ENTITIES)
    ]
    keys = [create_key(workspace=created.workspace, label=str(number)).token for number in range(KEYS)]
    with served() as web:
        for _ in range(20):
            httpx.get(f"{web.address}/api/v1/timeline", params={"entity": "agent.0"}, headers=bearer(keys[0]))
        return asyncio.run(_measured(web.address, web.process, keys, entities, streams, events))


async def _measured(
    address: str,
    process: Process,
    keys: Sequence[str],
    entities: Sequence[Any],
    streams: int,
    events: int,
) -> dict[str, Any]:
    before = process.resident_megabytes
    arrived: dict[int, list[float]] = {}
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=120.0) as client:
        note(f"{streams} streams are opened")
        ready = [asyncio.Event() for _ in range(streams)]
        tasks = [
            asyncio.create_task(
                _listen(client, keys[number % len(keys)], number % len(entities), ready[number], arrived)
            )
            for number in range(streams)
        ]
        await asyncio.gather(*(event.wait() for event in ready))
        await asyncio.sleep(1)
        with_streams = process.resident_megabytes
        threads = process.threads
        idle = await _processor_share(process, IDLE_SECONDS)
        note(f"{events} events are committed")
        began, used = time.monotonic(), process.processor_seconds
        committed = await asyncio.to_thread(_commit, entities, events)
        await asyncio.sleep(2)
        busy = (process.processor_seconds - used) / (time.monotonic() - began)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {
        "benchmark": "events",
        "streams": streams,
        "memory_before_megabytes": round(before, 1),
        "memory_with_streams_megabytes": round(with_streams, 1),
        "kilobytes_of_a_stream": round((with_streams - before) * 1024 / streams, 1),
        "threads": threads,
        "processor_idle": round(idle, 3),
        "processor_busy": round(busy, 3),
        "deliveries_wanted": events * streams // len(entities),
        **_delays(committed, arrived),
    }


def _delays(committed: Mapping[int, float], arrived: Mapping[int, Sequence[float]]) -> dict[str, Any]:
    """From the commit of an event to its arrival at each of its readers."""
    delays = [1_000 * (at - committed[number]) for number, times in arrived.items() for at in times]
    return {
        "deliveries": len(delays),
        "delay_p50_milliseconds": round(statistics.median(delays), 1),
        "delay_p95_milliseconds": round(statistics.quantiles(delays, n=20)[-1], 1),
    }


async def _listen(
    client: httpx.AsyncClient, key: str, entity: int, ready: asyncio.Event, arrived: dict[int, list[float]]
) -> None:
    asked = {"entity": f"agent.{entity}"}
    async with client.stream("GET", "/api/v1/events", params=asked, headers=bearer(key)) as reply:
        if reply.status_code != 200:
            raise SystemExit(f"a stream was refused: {reply.status_code} {await reply.aread()!r}")
        async for line in reply.aiter_lines():
            if line.startswith("id: "):
                ready.set()
            if line.startswith("data: "):
                number = json.loads(line[6:])["ids"]["n"]
                arrived.setdefault(number, []).append(time.time())


def _commit(entities: Sequence[Any], events: int) -> dict[int, float]:
    """When each was committed, by this machine's clock."""
    from django.db import connection

    from memory.models import Outbox

    committed = {}
    for number in range(events):
        entity = entities[number % len(entities)]
        Outbox.objects.create(
            workspace_id=entity.workspace_id, entity=entity, event="step.done", ids={"n": number}
        )
        committed[number] = time.time()
        time.sleep(PAUSE_SECONDS)
    connection.close()
    return committed


async def _processor_share(process: Process, seconds: float) -> float:
    used = process.processor_seconds
    await asyncio.sleep(seconds)
    return (process.processor_seconds - used) / seconds


if __name__ == "__main__":
    main()
