"""A site of real processes on this test's database: web, worker and broker, killed and started at will."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import psycopg
import redis
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from psycopg_pool import PoolTimeout

from memory.stewardship.verify import verify
from memseek_site.embedded.children import die_with_parent
from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.postgres import connect
from memseek_site.embedded.privileges import server_user
from memseek_site.embedded.programs import broker_program
from memseek_site.supervisor import is_answering
from tests.faults.measures import PATIENCE_SECONDS
from tests.faults.processes import end_group, start_group, worker_environment
from tests.faults.resting import first_that_waits
from tests.setup.commands import ROOT, wait_until

HOST = "127.0.0.1"
LOG = "site.log"
POLL_SECONDS = 0.2
LOST_CONNECTION = (OperationalError, InterfaceError, psycopg.OperationalError, PoolTimeout)
Value = TypeVar("Value")


class Broker:
    """A Redis-compatible server that keeps nothing: whoever starts it again finds it empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """As settings take it."""
        return f"redis://{HOST}:{self.port}/0"

    def start(self) -> None:
        """Start it and wait until it answers."""
        program = broker_program(layout_of(settings.DATA_DIR), server_user())
        command = [
            str(program),
            "--bind",
            HOST,
            "--port",
            str(self.port),
            "--dir",
            str(self.folder),
            "--save",
            "",
        ]
        self.process = start_group(command, variables=os.environ, log=self.folder / "broker.log")
        wait_until(lambda: is_answering(HOST, self.port))

    def kill(self) -> None:
        """SIGKILL."""
        if self.process is not None:
            end_group(self.process)

    def flush(self) -> int:
        """FLUSHALL; gives how many names were forgotten."""
        with redis.Redis(port=self.port) as client:
            known = int(client.dbsize())
            client.flushall()
            return known


class Site:
    """The processes, and what the test sees of the database that they work on."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self.folder = folder
        self.broker = Broker(folder)
        self.port = free_port()
        self.variables = worker_environment(
            folder, self.broker.address, MEMSEEK_SWEEP_SECONDS="2", **variables
        )
        self.web = self.worker = 0
        """Process numbers, each of a group of its own."""
        self.starts = 0
        """How often a process was started, the first times included."""
        self._nursery: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.broker.start()
            self._open_nursery()
            self.start_worker()
            self.start_web()
            self.wait_until_serving()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.kill_web()
        self.kill_worker()
        if self._nursery is not None:
            self._nursery.kill()
            self._nursery.communicate()
        self.broker.kill()

    def _open_nursery(self) -> None:
        with (self.folder / LOG).open("ab") as log:
            self._nursery = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.nursery"],
                cwd=ROOT,
                env=self.variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                preexec_fn=die_with_parent(signal.SIGKILL),  # noqa: PLW1509 - it only calls the kernel
            )

    def _fork(self, line: str) -> int:
        """A new process of the nursery."""
        nursery = self._nursery
        assert nursery is not None
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        nursery.stdin.write(f"{line}\n".encode())
        readable, _, _ = select.select([nursery.stdout], [], [], PATIENCE_SECONDS)
        assert readable, f"the nursery gave no process:\n{self.log()}"
        self.starts += 1
        return int(nursery.stdout.readline())

    @property
    def address(self) -> str:
        """Of the web process."""
        return f"http://{HOST}:{self.port}"

    def start_web(self) -> None:
        """Start it; whoever needs it waits."""
        self.web = self._fork(f"web {self.port}")

    def start_worker(self, *, clock: Path | None = None) -> None:
        """Start it, with a clock of its own where a file holds its error; nobody waits for it."""
        self.worker = self._fork(f"worker {clock or ''}")

    def kill_web(self) -> None:
        """SIGKILL."""
        end_processes(self.web)
        self.web = 0

    def kill_worker(self) -> None:
        """SIGKILL to it and its clock."""
        end_processes(self.worker)
        self.worker = 0

    def wait_until_serving(self) -> None:
        """Wait for an answer of the web process; an error with its log when none comes."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.is_serving():
            assert time.monotonic() < deadline, f"the web process does not answer:\n{self.log()}"
            time.sleep(POLL_SECONDS)

    def is_serving(self) -> bool:
        """Whether the web process answers, in whatever state the rest is."""
        with suppress(httpx.HTTPError):
            return httpx.get(f"{self.address}/health", timeout=5).status_code in (200, 503)
        return False

    def rest(self) -> None:
        """Wait until nothing waits any more; what is wrong then, or waits after a while, is an error."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while patiently(first_that_waits) and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        problems = patiently(lambda: verify(is_settled=True))
        assert problems == [], f"{problems[:9]}\n{self.log()}"

    def log(self) -> str:
        """The end of what the processes said."""
        file = self.folder / LOG
        return file.read_text(errors="replace")[-4_000:] if file.exists() else ""

    def told(self, words: str) -> int:
        """How often the processes said these words."""
        file = self.folder / LOG
        return file.read_text(errors="replace").count(words) if file.exists() else 0


def end_processes(group: int) -> None:
    """SIGKILL to a group of processes, and the wait for their end; a group of 0 is nobody."""
    if not group:
        return
    with suppress(ProcessLookupError):
        while True:
            os.killpg(group, signal.SIGKILL)
            time.sleep(0.02)


def patiently(read: Callable[[], Value]) -> Value:
    """What is read, once the database answers again."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return read()
        except LOST_CONNECTION:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_SECONDS)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


@contextmanager
def superuser(database: str = "postgres") -> Iterator[psycopg.Connection[Any]]:
    """A connection of the embedded server's superuser."""
    with connect(layout_of(settings.DATA_DIR), database) as opened:
        yield opened


def backends() -> list[int]:
    """Process numbers of the server for this test's database, the connections of this process excepted."""
    with superuser() as opened:
        found = opened.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'",
            [connection.settings_dict["NAME"]],
        )
        return [pid for (pid,) in found.fetchall()]


def postmaster() -> int:
    """Process number of the server itself."""
    file = layout_of(settings.DATA_DIR).postgres_data / "postmaster.pid"
    return int(file.read_text().split()[0])


def kill(process: int) -> bool:
    """SIGKILL; False when it has gone meanwhile."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
        return True
    return False
