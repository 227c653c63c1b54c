"""The site as a real server process on this test's database, and a line to that database that can be cut."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from django.db import connection

from memseek_site.supervisor import is_answering
from tests.faults.processes import end_group, start_group, tcp_broker
from tests.setup.commands import environment, wait_until

UPSTREAM_KEY = "upstream-key-that-no-client-may-see"


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def site_process(folder: Path, database_url: str, **variables: str) -> Iterator[str]:
    """A server of ours with a broker of its own; gives its address and ends it orderly."""
    port = free_port()
    with tcp_broker(folder) as broker:
        told = environment(
            folder / "data",
            DATABASE_URL=database_url,
            REDIS_URL=broker,
            MEMSEEK_EMBEDDING_PROVIDER="none",
            MEMSEEK_HEARTBEAT_SECONDS="600",
            **variables,
        )
        command = [sys.executable, "-m", "uvicorn", "memseek_site.asgi:application", "--port", str(port)]
        log = folder / "site.log"
        process = start_group(command, variables=told, log=log)
        try:
            wait_until(lambda: is_answering("127.0.0.1", port) or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            yield f"http://127.0.0.1:{port}"
            process.terminate()
            process.wait(20)
        finally:
            end_group(process)


def to_database() -> socket.socket:
    """A connection to the server of this test's database."""
    told = connection.settings_dict
    if not told["HOST"].startswith("/"):
        return socket.create_connection((told["HOST"], int(told["PORT"] or 5432)))
    server = socket.socket(socket.AF_UNIX)
    server.connect(f"{told['HOST']}/.s.PGSQL.{told['PORT'] or 5432}")
    return server


class Line:
    """A line from a TCP port to a server that may hang (`is_open` cleared) or be cut (`is_cut`)."""

    def __init__(self, connect: Callable[[], socket.socket] = to_database) -> None:
        self._connect = connect
        self.is_cut = False
        self.is_open = threading.Event()
        self.is_open.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._sockets: list[socket.socket] = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def database_url(self) -> str:
        """The test's database at the end of this line."""
        told = connection.settings_dict
        return f"postgresql://{quote(told['USER'], safe='')}@127.0.0.1:{self.port}/{told['NAME']}"

    def close(self) -> None:
        """End every connection."""
        self.is_open.set()
        for end in self._sockets:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.is_cut:
                    client.close()
                    continue
                server = self._connect()
                self._sockets += [client, server]
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self.is_open.wait()
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
