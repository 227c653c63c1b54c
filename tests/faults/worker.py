"""A nursery of Celery workers that end themselves by SIGKILL at a named point, the n-th time they get there.

For every line `POINT NTH` on standard input a worker is forked; its process number is answered at once and
its exit code at its end. A worker for the line `- 0` lives until it is told to stop. Forking pays the imports
once: more workers can be killed in the time that a test may take. FAULT_LOG names a file for the deaths.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path

from memory.cascade import checkpoints
from memseek_site.celery import application
from memseek_site.embedded.children import die_with_parent

WORKER = ("worker", "--beat", "--pool", "threads", "--loglevel", "INFO")
NOWHERE = "-"
# What a worker would import with its first tasks.
IMPORTED_BEFORE = (
    "celery.apps.worker",
    "celery.beat",
    "celery.concurrency.thread",
    "kombu.transport.redis",
    "memory.cascade.engine",
    "memory.cascade.l1_extract",
    "memory.cascade.persona",
    "memory.cascade.scene_synthesis",
    "memory.llm.offline.model",
    "memory.llm.openai_compatible",
    "memory.skills.skill_extract",
    "memory.tasks",
    "psycopg_pool",
)


class Executioner:
    """Counts how often the point was reached, over all threads."""

    def __init__(self, point: str, nth: int, log: Path) -> None:
        self.point = point
        self.left = nth
        self.log = log
        self.lock = threading.Lock()

    def __call__(self, name: checkpoints.Checkpoint) -> None:
        if name != self.point:
            return
        with self.lock:
            self.left -= 1
            if self.left == 0:
                with self.log.open("a") as told:
                    told.write(f"{name}\n")
                os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Serve until standard input ends."""
    import django

    django.setup()
    for name in IMPORTED_BEFORE:
        import_module(name)
    for line in iter(sys.stdin.readline, ""):
        point, nth = line.split()
        end_with_nursery = die_with_parent(signal.SIGKILL)
        worker = os.fork()
        if worker == 0:
            if end_with_nursery is not None:
                end_with_nursery()
            _work(point, int(nth))
        print(worker, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]), flush=True)


def _work(point: str, nth: int) -> None:
    os.setpgid(0, 0)
    # Standard output belongs to the nursery's answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if point != NOWHERE:
        checkpoints.listen(Executioner(point, nth, Path(os.environ["FAULT_LOG"])))
    application.worker_main(list(WORKER))
    os._exit(0)


if __name__ == "__main__":
    main()
