"""How a process uses the embedded servers: hold a lock, have a keeper, wait until both answer."""

import atexit
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock

from memseek_site.embedded.children import open_log, plain_environment
from memseek_site.embedded.errors import EmbeddedError
from memseek_site.embedded.keeper import EXIT_ANOTHER_LIVES
from memseek_site.embedded.layout import Layout, layout_of, prepare_data_dir
from memseek_site.embedded.locks import FileLock, is_held_exclusively
from memseek_site.embedded.state import read_state

START_TIMEOUT_SECONDS = 60.0
STOP_TIMEOUT_SECONDS = 30.0
POLL_SECONDS = 0.02
LOG_TAIL_LINES = 12
BOTH_SERVERS = frozenset({"postgres", "broker"})
SOURCE_ROOT = Path(__file__).resolve().parent.parent.parent

_uses: dict[Path, "EmbeddedUse"] = {}
_uses_lock = Lock()
# Keepers outlive whoever started them; held here, none is taken for a forgotten child.
_started_keepers: list[subprocess.Popen[bytes]] = []


@atexit.register
def _leave_keepers() -> None:
    """They outlive this process on purpose: Python need not warn of it."""
    for keeper in _started_keepers:
        if keeper.poll() is None:
            keeper.returncode = 0


def ensure_embedded(
    data_dir: Path, *, needs: frozenset[str] = BOTH_SERVERS, is_durable: bool = True
) -> "EmbeddedUse":
    """Use the embedded servers of a data folder until this process ends or releases them.

    Starts them when they do not run and returns when they answer. Asking again in one process is free.
    Raises EmbeddedError with the end of the logs when they do not come up within a minute.
    """
    layout = layout_of(data_dir)
    with _uses_lock:
        use = _uses.get(layout.data_dir)
        if use is None:
            prepare_data_dir(layout)
            use = EmbeddedUse(layout, needs)
            use.begin(is_durable=is_durable)
            _uses[layout.data_dir] = use
    return use


class EmbeddedUse:
    """One process's claim on the servers of a data folder."""

    def __init__(self, layout: Layout, needs: frozenset[str] = BOTH_SERVERS) -> None:
        self.layout = layout
        self.needs = needs
        self._lock = FileLock(layout.users_lock, is_exclusive=False)

    def begin(self, *, is_durable: bool) -> None:
        """Take the lock (waiting for a keeper that is just stopping) and wait for the servers."""
        if not self._lock.acquire(timeout_seconds=STOP_TIMEOUT_SECONDS):
            raise EmbeddedError(f"the embedded servers in {self.layout.data_dir} are stopping and do not end")
        try:
            self._wait_for_servers(is_durable=is_durable)
        except BaseException:
            self._lock.release()
            raise

    def release(self) -> None:
        """Stop using the servers; a keeper without users ends after its grace period."""
        self._lock.release()
        with _uses_lock:
            _uses.pop(self.layout.data_dir, None)

    def release_and_wait(self) -> None:
        """Stop using the servers; when nobody else does, return after they have ended."""
        self.layout.stop_request.touch()
        self.release()
        deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
        while is_held_exclusively(self.layout.keeper_lock) and time.monotonic() < deadline:
            if not self.layout.stop_request.exists() and self._has_other_users():
                return
            time.sleep(POLL_SECONDS)

    def _has_other_users(self) -> bool:
        """A stopping keeper holds the users' lock alone; otherwise the keeper saw somebody and goes on."""
        return not is_held_exclusively(self.layout.users_lock)

    def _wait_for_servers(self, *, is_durable: bool) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        keeper: subprocess.Popen[bytes] | None = None
        while not self._is_ready():
            if not is_held_exclusively(self.layout.keeper_lock) and (
                keeper is None or self._has_ended(keeper)
            ):
                keeper = _start_keeper(self.layout, is_durable=is_durable)
            if time.monotonic() > deadline:
                raise EmbeddedError(f"the embedded servers do not answer:\n{log_tails(self.layout)}")
            time.sleep(POLL_SECONDS)

    def _is_ready(self) -> bool:
        state = read_state(self.layout)
        if state is None or not is_held_exclusively(self.layout.ready_lock):
            return False
        missing = self.needs & state.missing.keys()
        if missing:
            raise EmbeddedError("\n".join(state.missing[name] for name in sorted(missing)))
        sockets = {"postgres": self.layout.postgres_socket, "broker": self.layout.broker_socket}
        return all(_accepts(sockets[name]) for name in self.needs)

    def _has_ended(self, keeper: subprocess.Popen[bytes]) -> bool:
        """Whether the started keeper gave way to another one; one that failed is an error."""
        code = keeper.poll()
        if code not in {None, 0, EXIT_ANOTHER_LIVES}:
            raise EmbeddedError(f"the keeper of the embedded servers failed:\n{log_tails(self.layout)}")
        return code is not None


def _start_keeper(layout: Layout, *, is_durable: bool) -> subprocess.Popen[bytes]:
    """A keeper in a session of its own: it outlives whoever happened to start it."""
    command = [sys.executable, "-m", "memseek_site.embedded.keeper", str(layout.data_dir)]
    log = open_log(layout.logs / "keeper.log")
    try:
        keeper = subprocess.Popen(
            command if is_durable else [*command, "--quick"],
            cwd=SOURCE_ROOT,
            env={**plain_environment(), "PYTHONPATH": str(SOURCE_ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)
    _started_keepers.append(keeper)
    return keeper


def _accepts(path: Path) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(path))
        return True
    return False


def log_tails(layout: Layout) -> str:
    """The newest lines of each log, for an error message."""
    parts = []
    for log in sorted(layout.logs.glob("*.log")):
        lines = log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:]
        parts.append("\n".join([f"{log}:", *lines]))
    return "\n".join(parts)
