"""A server as a child process that dies with its parent, and its restarts."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memseek_site.embedded.privileges import ServerUser

PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
FIRST_BACKOFF_SECONDS = 0.25
LONGEST_BACKOFF_SECONDS = 15.0
STEADY_AFTER_SECONDS = 30.0
LARGEST_LOG_BYTES = 5_000_000


def die_with_parent(death_signal: signal.Signals) -> Callable[[], None] | None:
    """What a child runs before its program so that the kernel ends it with its parent (Linux only)."""
    if sys.platform != "linux":
        return None
    # Loaded before the fork: a child of a threaded process must not import or allocate much.
    library = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def ask_the_kernel() -> None:
        library.prctl(PARENT_DEATH_SIGNAL, int(death_signal))
        if os.getppid() != parent:
            os._exit(1)

    return ask_the_kernel


def plain_environment() -> dict[str, str]:
    """The little that a database server needs: no key or password of the caller."""
    wanted = ("PATH", "HOME", "TMPDIR", "TZ")
    return {"LC_ALL": "C", **{name: os.environ[name] for name in wanted if name in os.environ}}


def open_log(path: Path) -> int:
    """A log opened for appending; the one before is kept once when it has grown large."""
    if path.exists() and path.stat().st_size > LARGEST_LOG_BYTES:
        path.replace(path.with_suffix(".old.log"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


class Child(ABC):
    """A process that is started again, with growing pauses, when it dies; stopped by its own signal."""

    def __init__(self, name: str, stop_signal: signal.Signals) -> None:
        self.name = name
        self.stop_signal = stop_signal
        self.process: subprocess.Popen[bytes] | None = None
        self.failures = 0
        self._started_at = 0.0
        self._next_start_at = 0.0

    @abstractmethod
    def launch(self) -> subprocess.Popen[bytes]:
        """Start the process; to be called by the parent's main thread, which the child dies with."""

    def tend(self) -> None:
        """Start the process, notice a death, start again after a pause; to be called again and again."""
        if self.process is not None:
            if self.process.poll() is None:
                return
            self._note_death()
        if time.monotonic() >= self._next_start_at:
            self.process = self.launch()
            self._started_at = time.monotonic()

    def _note_death(self) -> None:
        self.process = None
        ran_seconds = time.monotonic() - self._started_at
        self.failures = 1 if ran_seconds > STEADY_AFTER_SECONDS else self.failures + 1
        pause = min(FIRST_BACKOFF_SECONDS * 2 ** (self.failures - 1), LONGEST_BACKOFF_SECONDS)
        self._next_start_at = time.monotonic() + pause

    def ask_to_stop(self) -> None:
        """Send the stop signal without waiting."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(self.stop_signal)

    def wait_for_end(self, *, patience_seconds: float = 10.0) -> None:
        """Return when the process has ended; after the patience it is killed."""
        if self.process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience_seconds)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None


class ServerChild(Child):
    """One embedded server, run as the servers' account, writing to its own log."""

    def __init__(
        self,
        name: str,
        stop_signal: signal.Signals,
        *,
        command: list[str],
        user: ServerUser,
        log: Path,
        folder: Path,
    ) -> None:
        super().__init__(name, stop_signal)
        self.command = command
        self.user = user
        self.log = log
        self.folder = folder

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the server in a process group of its own: Ctrl-C in a terminal is not meant for it."""
        log = open_log(self.log)
        try:
            return subprocess.Popen(
                self.command,
                cwd=self.folder,
                env=plain_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                preexec_fn=die_with_parent(self.stop_signal),  # noqa: PLW1509 - it only calls the kernel
                **self.user.switch(),
            )
        finally:
            os.close(log)
