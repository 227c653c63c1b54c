"""A server for the length of a `with`: own folder, free port, a workspace and a key of its own.

For examples and for tests of clients. Nothing of it is left behind, and nothing that is there is touched:
databases, brokers and addresses that the environment names are not used.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from memory.client import Memory, MemseekError
from memseek_site.embedded.children import die_with_parent
from memseek_site.embedded.layout import layout_of

SOURCE_ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
WORKSPACE = "trial"
START_TIMEOUT_SECONDS = 120.0
STOP_TIMEOUT_SECONDS = 40.0
LOOK_SECONDS = 0.1
LOG_TAIL_CHARACTERS = 2_000
# An empty variable is an unset one.
OWN_VARIABLES = {
    "DATABASE_URL": "",
    "DATABASE_OWNER_URL": "",
    "REDIS_URL": "",
    "ALLOWED_HOSTS": "",
    "MEMSEEK_ENV": "development",
    "MEMSEEK_ENV_FILE": "none",
    "MEMSEEK_HTTPS": "off",
    "DJANGO_SETTINGS_MODULE": "memseek_site.settings",
}


class TrialError(RuntimeError):
    """The server did not come up; the message ends with what it said."""


@dataclass(frozen=True)
class Trial:
    """Where the server is, and a key of its only workspace."""

    base_url: str
    key: str = field(repr=False)


@contextmanager
def trial_server(*, scopes: Sequence[str] = ("read", "write"), **variables: str) -> Iterator[Trial]:
    """A server that answers, with a worker that lives; the variables are added to its environment.

    To be used by the main thread: the server dies with the thread that started it. Raises TrialError.
    """
    with _folder() as folder:
        environment = {
            **os.environ,
            **OWN_VARIABLES,
            "MEMSEEK_DATA_DIR": str(folder / "memseek"),
            **variables,
        }
        asked = [word for scope in scopes for word in ("--scope", scope)]
        key = new_workspace(environment, WORKSPACE, *asked)
        with serving(environment, folder / "serve.log") as base_url:
            trial = Trial(base_url, key)
            _wait_for_worker(trial)
            yield trial


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="memseek-trial-"))
    # Under root the servers run as `nobody`, who has to pass through.
    folder.chmod(0o711)
    layout = layout_of(folder / "memseek")
    try:
        yield folder
    finally:
        for path in (layout.home, layout.sockets, folder):
            shutil.rmtree(path, ignore_errors=True)


def new_workspace(environment: Mapping[str, str], name: str, *options: str) -> str:
    """The key of a new workspace; this also makes an embedded database. TrialError."""
    made = subprocess.run(
        [sys.executable, "manage.py", "create_workspace", name, *options],
        cwd=SOURCE_ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise TrialError(f"The database could not be made:\n{made.stderr[-LOG_TAIL_CHARACTERS:]}")
    return str(json.loads(made.stdout)["api_key"])


@contextmanager
def serving(environment: Mapping[str, str], log: Path) -> Iterator[str]:
    """The address of a server on a free port, which a worker belongs to; gone afterwards. TrialError."""
    port = _free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--host", HOST, "--port", str(port)],
            cwd=SOURCE_ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            process_group=0,
            preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - it only calls the kernel
        )
    try:
        _wait_for_port(process, port, log)
        yield f"http://{HOST}:{port}"
    finally:
        _stop(process)


def _wait_for_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    ends_at = time.monotonic() + START_TIMEOUT_SECONDS
    while process.poll() is None and time.monotonic() < ends_at:
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(LOOK_SECONDS)
    raise TrialError(f"The server did not start:\n{log.read_text(errors='replace')[-LOG_TAIL_CHARACTERS:]}")


def _wait_for_worker(trial: Trial) -> None:
    ends_at = time.monotonic() + START_TIMEOUT_SECONDS
    with Memory(trial.base_url, trial.key) as memory:
        while time.monotonic() < ends_at:
            with suppress(MemseekError):
                if memory.health().worker_seen_seconds is not None:
                    return
            time.sleep(LOOK_SECONDS)
    raise TrialError("No worker came up.")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    """One that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return int(listener.getsockname()[1])
