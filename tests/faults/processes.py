"""Real brokers and workers of a test's own, as separate processes that end with it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection

from memseek_site.celery import application
from memseek_site.embedded.children import die_with_parent
from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.privileges import server_user
from memseek_site.embedded.programs import broker_program
from memseek_site.supervisor import is_answering
from tests.setup.commands import ROOT, environment, wait_until

ORDERLY_END_SECONDS = 20


def start_group(command: list[str], *, variables: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """A process in a group of its own that dies with this one; its output goes to the end of a file."""
    with log.open("ab") as output:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            process_group=0,
            preexec_fn=die_with_parent(signal.SIGKILL),  # noqa: PLW1509 - it only calls the kernel
        )


def end_group(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to the process and what it left behind, such as the clock of a killed worker."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(ORDERLY_END_SECONDS)


@contextmanager
def tcp_broker(folder: Path) -> Iterator[str]:
    """A Redis-compatible server on a port of its own, as one that a person runs; gives its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    program = broker_program(layout_of(settings.DATA_DIR), server_user())
    command = [str(program), "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), "--save", ""]
    process = start_group(command, variables=os.environ, log=folder / "broker.log")
    try:
        wait_until(lambda: is_answering("127.0.0.1", port))
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        end_group(process)


@contextmanager
def sending_to(broker: str, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process's wake-ups go to that broker inside the block."""
    patch.setenv("CELERY_BROKER_URL", broker)
    # What holds the pool of connections is made anew when it is next asked for.
    del application.amqp
    try:
        yield
    finally:
        del application.amqp
        patch.delenv("CELERY_BROKER_URL")


def database_url(role: Mapping[str, Any] | None = None) -> str:
    """The address of this test's database under the application's role, or that of other settings."""
    told = {**connection.settings_dict, **(role or {}), "NAME": connection.settings_dict["NAME"]}
    user, password = (quote(told.get(part, ""), safe="") for part in ("USER", "PASSWORD"))
    login = f"{user}:{password}" if password else user
    port = f":{told['PORT']}" if told["PORT"] else ""
    return f"postgresql://{login}@{quote(told['HOST'], safe='')}{port}/{told['NAME']}"


def worker_environment(folder: Path, broker: str, **more: str) -> dict[str, str]:
    """A worker on this test's database that wakes, sweeps and gives up on dead ones quickly."""
    quick = {
        "DATABASE_URL": database_url(),
        "REDIS_URL": broker,
        "MEMSEEK_WORKER_THREADS": "4",
        "MEMSEEK_WAKE_QUIET_SECONDS": "0.1",
        "MEMSEEK_SCENE_INTERVAL_SECONDS": "0",
        "MEMSEEK_PERSONA_INTERVAL_SECONDS": "0",
        "MEMSEEK_PROMOTION_SECONDS": "0",
        "MEMSEEK_LEASE_SECONDS": "1",
        "MEMSEEK_SWEEP_SECONDS": "0.5",
        "MEMSEEK_HEARTBEAT_SECONDS": "1",
    }
    return environment(folder / "data", **(quick | more))


def start_worker(
    variables: Mapping[str, str], *, log: Path, app: str = "memseek_site.celery:application"
) -> subprocess.Popen[bytes]:
    """A Celery worker with its clock, started as `make worker` does."""
    command = [sys.executable, "-m", "celery", "-A", app, "worker", "--beat", "--pool", "threads"]
    return start_group([*command, "--loglevel", "INFO"], variables=variables, log=log)


def end_orderly(process: subprocess.Popen[bytes]) -> int:
    """SIGTERM, and the exit code."""
    process.terminate()
    try:
        return process.wait(ORDERLY_END_SECONDS)
    finally:
        end_group(process)
