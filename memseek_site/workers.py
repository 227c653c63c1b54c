"""A worker for commands that need one."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from memseek_site.doctor.processes import living
from memseek_site.supervisor import STOP_PATIENCE_SECONDS, Write, worker_child


@contextmanager
def ensure_worker(write: Write, *, log_level: str = "warning") -> Iterator[None]:
    """Have a worker for as long as the block runs: whoever lives already, or a child that ends with it.

    To be used by the main thread, for a child dies with the thread that started it. Its output goes to
    `write`, line by line.
    """
    if living("worker"):
        yield
        return
    is_over = Event()
    child = worker_child(lambda line: None if is_over.is_set() else write(line), log_level=log_level)
    child.tend()
    try:
        yield
    finally:
        # What it says about its orderly end is of no interest.
        is_over.set()
        child.ask_to_stop()
        child.wait_for_end(patience_seconds=STOP_PATIENCE_SECONDS)
