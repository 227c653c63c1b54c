"""Web server and worker as children of a benchmark, and what the system says of a process (Linux)."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx

HOST = "127.0.0.1"
START_SECONDS = 60.0
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Process:
    """A process and what `/proc` tells of it."""

    number: int

    @property
    def resident_megabytes(self) -> float:
        """Memory that it holds, shared pages included."""
        return int(self._status("VmRSS")) / 1024

    @property
    def threads(self) -> int:
        """How many it has."""
        return int(self._status("Threads"))

    @property
    def processor_seconds(self) -> float:
        """Time that it ran, its own and the system's for it."""
        user, system = (self._folder / "stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def _folder(self) -> Path:
        return Path("/proc") / str(self.number)

    def _status(self, name: str) -> str:
        lines = (self._folder / "status").read_text().splitlines()
        return next(line.split()[1] for line in lines if line.startswith(f"{name}:"))


def database_seconds() -> float:
    """Processor time of all processes of the database's server, those that have ended included (Linux).

    The server has to be on this machine.
    """
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    first = _fields(backend)[1]
    living = [_fields(int(folder.name)) for folder in Path("/proc").glob("[0-9]*") if folder.exists()]
    ticks = sum(_ticks(fields[11:13]) for fields in living if fields and fields[1] == first)
    # What its children took is told of the first process once they are gone.
    return (ticks + _ticks(_fields(int(first))[11:15])) / os.sysconf("SC_CLK_TCK")


def _fields(number: int) -> list[str]:
    """What stands in `stat` after the program's name: state, parent and more; nothing of one that is gone."""
    try:
        return (Path("/proc") / str(number) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _ticks(fields: Sequence[str]) -> int:
    return sum(map(int, fields))


@dataclass(frozen=True)
class Served:
    """A web server that answers."""

    address: str
    process: Process
    started_seconds: float
    """From the start of the process to its first answer."""


@contextmanager
def served(**environment: str) -> Iterator[Served]:
    """A web server of its own process, with these variables more; given when it answers."""
    port = free_port()
    address = f"http://{HOST}:{port}"
    command = [sys.executable, "-m", "uvicorn", "memseek_site.asgi:application"]
    began = time.perf_counter()
    with child([*command, "--host", HOST, "--port", str(port), "--log-level", "warning"], environment) as own:
        wait_for_answer(address)
        yield Served(address, Process(own.pid), time.perf_counter() - began)


@contextmanager
def working(**environment: str) -> Iterator[Process]:
    """A worker of its own process, with these variables more; given when it has shown a sign of life."""
    from memory.models import Process as Sign
    from memseek_site.supervisor import worker_child

    command = worker_child(lambda _: None, log_level="warning").command
    with child(command, environment) as own:
        name = f"{socket.gethostname()}:{own.pid}"[:128]
        wait_until(Sign.objects.filter(kind=Sign.Kind.WORKER, name=name).exists, "the worker's sign of life")
        yield Process(own.pid)


@contextmanager
def child(command: Sequence[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A program that ends with the block, by SIGTERM, or with this process."""
    from memseek_site.embedded.children import die_with_parent

    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - it only calls the kernel
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port: int = free.getsockname()[1]
        return port


def wait_for_answer(address: str, *, seconds: float = START_SECONDS) -> None:
    """Ask until the server answers well; ends the program when it does not."""
    wait_until(partial(_answers, address), f"an answer of {address}", seconds=seconds)


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health").is_success
    except httpx.TransportError:
        return False


def wait_until(
    is_so: Callable[[], bool],
    what: str,
    *,
    seconds: float = START_SECONDS,
    poll_seconds: float = POLL_SECONDS,
) -> None:
    """Look again and again until something is so; ends the program when it does not come."""
    ends = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > ends:
            raise SystemExit(f"{what} did not come within {seconds:.0f} s")
        time.sleep(poll_seconds)
