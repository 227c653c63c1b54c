"""What this process measures itself. Each series bears the process's name, as its heartbeat does.

So several processes behind one address, or on several machines, never overwrite each other: `sum by (route)`
adds them up. The library's mode for several processes would need a folder that they share and somebody wipes.
"""

from __future__ import annotations

import os
import socket

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY = CollectorRegistry()
RECALL_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0)

_requests = Counter(
    "memseek_http_requests",
    "Requests by route, method and status.",
    ["process", "route", "method", "status"],
    registry=REGISTRY,
)
_request_seconds = Histogram(
    "memseek_http_request_seconds",
    "Time until the reply begins, by route.",
    ["process", "route"],
    buckets=RECALL_BUCKETS,
    registry=REGISTRY,
)
_recall_seconds = Histogram(
    "memseek_recall_seconds",
    "Time of the doors that read memory: recall, context, compile and answer.",
    ["process", "kind"],
    buckets=RECALL_BUCKETS,
    registry=REGISTRY,
)
_streams = Gauge("memseek_event_streams", "Open streams of events.", ["process"], registry=REGISTRY)
_events = Counter(
    "memseek_events_sent", "Events sent, each counted for every stream.", ["process"], registry=REGISTRY
)


def process_name() -> str:
    """Host and number of this process; asked anew, for a process may have been forked."""
    return f"{socket.gethostname()}:{os.getpid()}"


def count_request(*, route: str, method: str, status: int, seconds: float) -> None:
    """One request has been answered."""
    process = process_name()
    _requests.labels(process, route, method, str(status)).inc()
    _request_seconds.labels(process, route).observe(seconds)


def observe_recall(*, kind: str, seconds: float) -> None:
    """Memory was read once."""
    _recall_seconds.labels(process_name(), kind).observe(seconds)


def count_streams(change: int) -> None:
    """A stream was opened or ended."""
    _streams.labels(process_name()).inc(change)


def count_events(sent: int) -> None:
    """An ended stream had sent so many."""
    _events.labels(process_name()).inc(sent)
