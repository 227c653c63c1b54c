"""Web server and worker as real child processes of one command."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from types import FrameType
from typing import IO

from memseek_site.embedded.children import Child, die_with_parent

SOURCE_ROOT = Path(__file__).resolve().parent.parent
TICK_SECONDS = 0.05
# A worker may be amid a model call: its work is leased and will be taken up again.
STOP_PATIENCE_SECONDS = 8.0
STREAM_PATIENCE_SECONDS = 3
# Celery says so on every orderly end, whatever its log level.
EXPECTED_LINE = "worker: Warm shutdown"

Write = Callable[[str], object]


class ServedChild(Child):
    """A process of the site whose output is shown with its name in front."""

    def __init__(self, name: str, command: list[str], write: Write) -> None:
        super().__init__(name, signal.SIGTERM)
        self.command = command
        self.write = write

    def launch(self) -> subprocess.Popen[bytes]:
        """Start in a group of its own, so that Ctrl-C reaches the supervisor alone."""
        if self.failures:
            self.write(f"{self.name:<6} | ended, starting again")
        process = subprocess.Popen(
            self.command,
            cwd=SOURCE_ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            process_group=0,
            preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509 - it only calls the kernel
        )
        if process.stdout is not None:
            Thread(target=self._show, args=(process.stdout,), daemon=True).start()
        return process

    def _show(self, output: IO[bytes]) -> None:
        with output:
            for raw in output:
                line = raw.decode(errors="replace").rstrip()
                if line and not line.startswith(EXPECTED_LINE):
                    self.write(f"{self.name:<6} | {line}")


class Supervisor:
    """Tends children until a signal arrives or the caller's condition holds; then stops them.

    To be used by the main thread: children die with the thread that started them.
    """

    def __init__(self) -> None:
        self.children: list[Child] = []
        self.is_stopping = False

    def add(self, child: Child) -> None:
        """One more child; it starts with the next look."""
        self.children.append(child)

    def listen_to_signals(self) -> None:
        """Take SIGINT, SIGTERM and SIGHUP as the wish to stop."""
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self._note_signal)

    def _note_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.is_stopping = True

    def tend_until(self, is_done: Callable[[], bool]) -> None:
        """Keep the children running until the condition holds or a signal arrived."""
        while not self.is_stopping and not is_done():
            for child in self.children:
                child.tend()
            time.sleep(TICK_SECONDS)

    def stop(self) -> None:
        """End all children, the newest first; none is left when this returns."""
        self.is_stopping = True
        for child in reversed(self.children):
            child.ask_to_stop()
        for child in self.children:
            child.wait_for_end(patience_seconds=STOP_PATIENCE_SECONDS)


def writer(stream: IO[str]) -> Write:
    """Whole lines from several threads."""
    lock = Lock()

    def write(line: str) -> None:
        with lock, suppress(BrokenPipeError):
            stream.write(f"{line}\n")
            stream.flush()

    return write


def web_child(write: Write, *, host: str, port: int, log_level: str) -> ServedChild:
    """The ASGI server."""
    command = [
        *(
            sys.executable,
            "-m",
            "uvicorn",
            "memseek_site.asgi:application",
            "--host",
            host,
            "--port",
            str(port),
        ),
        *("--log-level", log_level, "--timeout-graceful-shutdown", str(STREAM_PATIENCE_SECONDS)),
        # What proxies say is read by the settings that say whether there are any.
        "--no-proxy-headers",
    ]
    return ServedChild("web", command, write)


def worker_child(write: Write, *, log_level: str) -> ServedChild:
    """The Celery worker with its clock."""
    command = [
        *(sys.executable, "-m", "celery", "--quiet", "-A", "memseek_site.celery:application", "worker"),
        *("--beat", "--pool", "threads", "--loglevel", log_level.upper()),
        *("--without-gossip", "--without-mingle", "--hostname", f"supervised-{os.getpid()}@%h"),
    ]
    return ServedChild("worker", command, write)


def is_answering(host: str, port: int) -> bool:
    """Whether something accepts connections there."""
    with suppress(OSError), socket.create_connection((host, port), timeout=1):
        return True
    return False


def first_free_port(host: str, ports: Iterable[int]) -> int | None:
    """The first port that can be listened on; None when all are taken."""
    for port in ports:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with suppress(OSError), socket.socket(family, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            return port
    return None
