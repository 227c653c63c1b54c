"""`python -m benchmarks.proxying`: what the memory proxy adds to a chat.

An entity of 1,000 atoms is filled by COPY, a model's endpoint that answers at once and a real server of ours
run, and one client asks both by turns over the loopback: the endpoint itself, and the endpoint through the
proxy. What the proxy adds is the difference of the two, question by question. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from benchmarks.installation import installation, machine, note
from benchmarks.processes import HOST
from benchmarks.recall import WARMING, build_index, filled_entity, filler, percentiles, server

ANSWER = json.dumps(
    {
        "id": "answer",
        "object": "chat.completion",
        "created": 0,
        "model": "at-once",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Noted."}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }
).encode()


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proxying", description=__doc__)
    parser.add_argument("--atoms", type=int, default=1_000, help="of the entity (1,000)")
    parser.add_argument("--queries", type=int, default=200, help="put to each (200)")
    options = parser.parse_args()
    with (
        endpoint() as address,
        installation(
            MEMSEEK_EMBEDDING_PROVIDER="local", MEMSEEK_PROXY="true", MEMSEEK_PROXY_BASE_URL=address
        ),
    ):
        told = measure(address, options.atoms, options.queries) | machine()
    for line in report(told):
        print(line)
    print(json.dumps(told))


class _AtOnce(BaseHTTPRequestHandler):
    """Answers every chat with the same words."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(ANSWER)}\r\n\r\n"
        self.wfile.write(head.encode() + ANSWER)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: standard error is for notes."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


@contextmanager
def endpoint() -> Iterator[str]:
    """A model's endpoint that takes no time; gives its address."""
    served = _Server((HOST, 0), _AtOnce)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    try:
        yield f"http://{HOST}:{served.server_address[1]}/v1"
    finally:
        served.shutdown()
        served.server_close()


def measure(endpoint_address: str, atoms: int, count: int) -> dict[str, Any]:
    """All figures."""
    from memory.ingest.workspaces import create_workspace

    created = create_workspace(name="benchmark")
    with filler() as fill:
        entity, queries = filled_entity(fill, created.workspace, atoms, count)
        fill.finish()
        build_index(entity)
    headers = {"Authorization": f"Bearer {created.token}", "X-Memseek-Entity": entity.name}
    with (
        server() as address,
        httpx.Client(base_url=endpoint_address) as direct,
        httpx.Client(base_url=f"{address}/v1", headers=headers) as proxied,
    ):
        note("both are asked")
        timed = _timed(direct, proxied, queries, count)
    return {"benchmark": "proxying", "atoms": atoms, "queries": count, **timed}


def _timed(direct: httpx.Client, proxied: httpx.Client, queries: Sequence[str], count: int) -> dict[str, Any]:
    """Both in turns, so that whatever else the machine does falls on both."""
    alone: list[float] = []
    through: list[float] = []
    without = 0
    for number, query in enumerate([*queries[count : count + WARMING], *queries[:count]]):
        took, _ = _milliseconds(direct, query)
        took_through, reply = _milliseconds(proxied, query)
        if number >= WARMING:
            alone.append(took)
            through.append(took_through)
            without += reply.headers["X-Memseek-Context"] == "none"
    added = [longer - shorter for longer, shorter in zip(through, alone, strict=True)]
    return {
        "endpoint": percentiles(alone),
        "proxy": percentiles(through),
        "added": percentiles(added),
        "added_mean": round(statistics.mean(added), 2),
        "without_memory": without,
    }


def _milliseconds(client: httpx.Client, query: str) -> tuple[float, httpx.Response]:
    body = {"model": "at-once", "messages": [{"role": "user", "content": query}]}
    began = time.perf_counter()
    reply = client.post("/chat/completions", json=body)
    took = (time.perf_counter() - began) * 1_000
    return took, reply.raise_for_status()


def report(told: Mapping[str, Any]) -> Iterator[str]:
    """The figures, side by side."""
    for part in ("p50", "p95"):
        parts = ", ".join(f"{name} {told[name][part]} ms" for name in ("endpoint", "proxy", "added"))
        yield f"{part}: {parts}"
    yield f"chats without memory: {told['without_memory']} of {told['queries']}"


if __name__ == "__main__":
    main()
