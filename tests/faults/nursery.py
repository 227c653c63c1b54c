"""A nursery of web and worker processes: forking pays the imports once, so that many may die in a short time.

For every line `web PORT` or `worker` on standard input a process is forked, in a group of its own, and its
number is answered at once; `worker FILE` is one that takes its clock's error from a file. Whoever is dead is
buried without a word.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path

from memseek_site.celery import application
from memseek_site.embedded.children import die_with_parent
from tests.faults.clock import wear
from tests.faults.worker import IMPORTED_BEFORE, WORKER

HOST = "127.0.0.1"
IMPORTED_BY_WEB = (
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
    "memory.events.http",
    "memseek_site.handler",
    "memseek_site.heartbeat",
    "memseek_site.mounting",
)


def main() -> None:
    """Serve until standard input ends."""
    import django
    from django.urls import get_resolver

    django.setup()
    for name in (*IMPORTED_BEFORE, *IMPORTED_BY_WEB):
        import_module(name)
    _ = get_resolver().url_patterns
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in iter(sys.stdin.readline, ""):
        kind, *arguments = line.split()
        end_with_nursery = die_with_parent(signal.SIGKILL)
        child = os.fork()
        if child == 0:
            if end_with_nursery is not None:
                end_with_nursery()
            _live(kind, arguments)
        print(child, flush=True)


def _live(kind: str, arguments: list[str]) -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Standard output belongs to the nursery's answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if kind == "web":
        import uvicorn

        uvicorn.run(
            "memseek_site.asgi:application",
            host=HOST,
            port=int(arguments[0]),
            log_level="warning",
            proxy_headers=False,
        )
    else:
        if arguments:
            wear(Path(arguments[0]))
        application.worker_main(list(WORKER))
    os._exit(0)


if __name__ == "__main__":
    main()
