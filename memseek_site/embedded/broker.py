"""The embedded broker: a Redis-compatible server with an append-only file on a private socket."""

import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

from memseek_site.embedded.children import ServerChild
from memseek_site.embedded.errors import EmbeddedError
from memseek_site.embedded.layout import Layout
from memseek_site.embedded.privileges import ServerUser

ORPHAN_TIMEOUT_SECONDS = 10
ANSWER_TIMEOUT_SECONDS = 1.0
FAILURES_BEFORE_FRESH_START = 3


def broker_child(layout: Layout, user: ServerUser, program: Path, *, is_durable: bool) -> ServerChild:
    """The server process; the socket's folder keeps strangers out."""
    command = [
        *(str(program), "--port", "0", "--unixsocket", str(layout.broker_socket), "--unixsocketperm", "700"),
        *("--dir", str(layout.broker_data), "--daemonize", "no", "--save", ""),
        *("--appendonly", "yes", "--appendfsync", "everysec" if is_durable else "no"),
        # A queue must refuse rather than forget.
        *("--maxmemory-policy", "noeviction"),
    ]
    return ServerChild(
        "broker",
        signal.SIGTERM,
        command=command,
        user=user,
        log=layout.logs / "broker.log",
        folder=layout.broker_data,
    )


def is_answering(layout: Layout) -> bool:
    """Whether a PING is answered (a server that is still loading says so instead)."""
    return _ask(layout, b"PING\r\n").startswith(b"+PONG")


def clear_orphan(layout: Layout) -> None:
    """End a broker whose keeper was killed; to be called with the keeper's lock held."""
    deadline = time.monotonic() + ORPHAN_TIMEOUT_SECONDS
    while _accepts(layout.broker_socket):
        _ask(layout, b"SHUTDOWN NOSAVE\r\n")
        if time.monotonic() > deadline:
            raise EmbeddedError(
                f"an old broker on {layout.broker_socket} does not stop; end it and try again"
            )
        time.sleep(0.1)


def set_aside_unreadable_data(layout: Layout, user: ServerUser, child: ServerChild) -> None:
    """Let a broker that cannot read its own file start empty: the rows in PostgreSQL are the truth.

    A version older than the one that wrote the file is the usual reason. The old files are kept.
    """
    if child.failures != FAILURES_BEFORE_FRESH_START or not any(layout.broker_data.iterdir()):
        return
    layout.broker_data.rename(layout.home / f"broker.unreadable-{int(time.time())}")
    layout.broker_data.mkdir(mode=0o700)
    user.own(layout.broker_data)


def _ask(layout: Layout, request: bytes) -> bytes:
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_TIMEOUT_SECONDS)
        connection.connect(str(layout.broker_socket))
        connection.sendall(request)
        return connection.recv(64)
    return b""


def _accepts(path: Path) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_TIMEOUT_SECONDS)
        connection.connect(str(path))
        return True
    return False
