"""`python -m benchmarks.load`: requests over raw connections from a process of its own, and their times.

Standard input holds a plan as JSON: servers (host and port), headers, and for each client its requests
(method, path, body or null). Clients go to the servers in turn. Each client has one connection and sends one
request after the other. The first `warming` requests of each are not counted. A client of a library would
take more time than the server that it measures.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any
from urllib.parse import urlsplit

LONGEST_HEAD_BYTES = 65_536

Request = tuple[str, str, Any]
"""Method, path with query, and a body as JSON value; None for no body."""


@dataclass(frozen=True)
class Load:
    """What became of a plan."""

    seconds: float
    """From the first counted request to the last answer."""
    milliseconds: tuple[float, ...]
    """Of each counted request, of all clients."""
    processor_seconds: float
    """Of the process that asked: near `seconds` it was the one that was measured."""


def put(
    addresses: Sequence[str],
    headers: Mapping[str, str],
    clients: Sequence[Sequence[Request]],
    *,
    warming: int = 0,
) -> Load:
    """Have a process of its own put each client's requests, all clients at once, in turn to the addresses.

    Ends the program when an answer is no success.
    """
    plan = {
        "servers": [(where.hostname, where.port) for where in map(urlsplit, addresses)],
        "headers": dict(headers),
        "clients": clients,
        "warming": warming,
    }
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.load"],
        input=json.dumps(plan),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"The load ended with {done.returncode}.")
    told = json.loads(done.stdout)
    return Load(told["seconds"], tuple(told["milliseconds"]), told["processor_seconds"])


def main() -> None:
    """Read the plan, carry it out, tell."""
    plan = json.load(sys.stdin)
    print(json.dumps(asyncio.run(_carry_out(plan))))


async def _carry_out(plan: Mapping[str, Any]) -> dict[str, Any]:
    servers = list(islice(cycle(plan["servers"]), len(plan["clients"])))
    written = [
        [_written(f"{host}:{port}", plan["headers"], *request) for request in requests]
        for (host, port), requests in zip(servers, plan["clients"], strict=True)
    ]
    lines = [await asyncio.open_connection(host, port) for host, port in servers]
    warming = plan["warming"]
    await asyncio.gather(
        *(_ask(*line, requests[:warming]) for line, requests in zip(lines, written, strict=True))
    )
    began, used = time.perf_counter(), time.process_time()
    times = await asyncio.gather(
        *(_ask(*line, requests[warming:]) for line, requests in zip(lines, written, strict=True))
    )
    seconds, used = time.perf_counter() - began, time.process_time() - used
    for _, writer in lines:
        writer.close()
    return {
        "seconds": seconds,
        "processor_seconds": used,
        "milliseconds": [one for of_client in times for one in of_client],
    }


def _written(server: str, headers: Mapping[str, str], method: str, path: str, body: Any) -> bytes:
    content = b"" if body is None else json.dumps(body).encode()
    headers = {"Host": server, **headers}
    if body is not None:
        headers |= {"Content-Type": "application/json", "Content-Length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + content


async def _ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, requests: Sequence[bytes]
) -> list[float]:
    """The milliseconds of each request, put one after the other."""
    times = []
    for request in requests:
        began = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(_length(head))
        times.append((time.perf_counter() - began) * 1_000)
        if not head.startswith(b"HTTP/1.1 2"):
            raise SystemExit(f"{head.splitlines()[0].decode()}: {body[:500].decode(errors='replace')}")
    return times


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise SystemExit("An answer does not say how long it is.")


if __name__ == "__main__":
    main()
