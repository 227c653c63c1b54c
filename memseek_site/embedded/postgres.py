"""The embedded PostgreSQL: its first folder, its command line, its roles."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memseek_site.embedded.children import ServerChild, plain_environment
from memseek_site.embedded.errors import EmbeddedError
from memseek_site.embedded.layout import Layout
from memseek_site.embedded.memory import shared_buffers
from memseek_site.embedded.privileges import ServerUser

if TYPE_CHECKING:
    import psycopg

SUPERUSER = "postgres"
OWNER_ROLE = "memseek_owner"
APPLICATION_ROLE = "memseek_app"
DATABASE = "memseek"
INITDB_TIMEOUT_SECONDS = 120
ORPHAN_TIMEOUT_SECONDS = 30
MAXIMUM_CONNECTIONS = 200
UNSAFE_BUT_QUICK = {"fsync": "off", "full_page_writes": "off"}


def initialise(layout: Layout, user: ServerUser, programs: Path, *, is_durable: bool) -> None:
    """Make the data folder if there is none; a killed attempt is thrown away and made again."""
    if (layout.postgres_data / "PG_VERSION").exists():
        return
    staging = layout.home / "postgres.new"
    shutil.rmtree(staging, ignore_errors=True)
    command = [
        *(str(programs / "initdb"), "-D", str(staging), "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8"),
        *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"),
        *(() if is_durable else ("--no-sync",)),
    ]
    made = subprocess.run(
        command,
        cwd=layout.home,
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=INITDB_TIMEOUT_SECONDS,
        check=False,
        **user.switch(),
    )
    if made.returncode != 0:
        raise EmbeddedError(f"initdb failed: {made.stderr.strip() or made.stdout.strip()}")
    staging.rename(layout.postgres_data)


def postgres_child(layout: Layout, user: ServerUser, programs: Path, *, is_durable: bool) -> ServerChild:
    """The server process: a private socket, no network."""
    options = {
        "listen_addresses": "",
        # Quoted: the setting is a list, and a folder's name may hold a comma.
        "unix_socket_directories": f'"{layout.sockets}"',
        "unix_socket_permissions": "0700",
        "max_connections": str(MAXIMUM_CONNECTIONS),
        # What a killed process has asked for ends soon, and so do the locks that it holds.
        "client_connection_check_interval": "2s",
        "shared_buffers": shared_buffers(),
        "log_min_messages": "warning",
        "log_min_error_statement": "panic",
        # Without details: they repeat the row that a constraint refuses, words and all.
        "log_error_verbosity": "terse",
        **({} if is_durable else UNSAFE_BUT_QUICK),
    }
    command = [str(programs / "postgres"), "-D", str(layout.postgres_data)]
    for name, value in options.items():
        command += ["-c", f"{name}={value}"]
    return ServerChild(
        "postgres",
        signal.SIGINT,
        command=command,
        user=user,
        log=layout.logs / "postgres.log",
        folder=layout.home,
    )


def connect(layout: Layout, database: str = SUPERUSER) -> "psycopg.Connection":
    """A superuser's connection; raises psycopg.OperationalError while the server does not answer."""
    import psycopg

    return psycopg.connect(
        host=str(layout.sockets), user=SUPERUSER, dbname=database, autocommit=True, connect_timeout=2
    )


def prepare_roles(layout: Layout) -> None:
    """Make the roles, the database and the extension where they are missing; safe to repeat.

    The extension stands in template1 as well, because only a superuser may create it and the owner makes
    databases for tests.
    """
    with connect(layout) as connection:
        roles = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
        if OWNER_ROLE not in roles:
            connection.execute(f"CREATE ROLE {OWNER_ROLE} LOGIN CREATEDB NOSUPERUSER NOBYPASSRLS")
        if APPLICATION_ROLE not in roles:
            connection.execute(f"CREATE ROLE {APPLICATION_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS")
        is_new = not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
    if is_new:
        with connect(layout, "template1") as template:
            template.execute("CREATE EXTENSION IF NOT EXISTS vector")
        with connect(layout) as connection:
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE}")


def clear_orphan(layout: Layout) -> None:
    """End a server whose keeper was killed, and remove a lock file that names a process of another kind.

    To be called with the keeper's lock held: then no server here has a keeper.
    """
    lock_file = layout.postgres_data / "postmaster.pid"
    deadline = time.monotonic() + ORPHAN_TIMEOUT_SECONDS
    while (pid := _pid_in(lock_file)) is not None and _is_postgres(pid):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGINT)
        if time.monotonic() > deadline:
            raise EmbeddedError(
                f"an old PostgreSQL server (process {pid}) does not stop; end it and try again"
            )
        time.sleep(0.1)
    lock_file.unlink(missing_ok=True)


def _pid_in(lock_file: Path) -> int | None:
    try:
        return int(lock_file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _is_postgres(pid: int) -> bool:
    """Process numbers are used again: only a living process of that name counts."""
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            name, _, rest = status.read_text().partition("(")[2].rpartition(")")
        except (FileNotFoundError, ProcessLookupError):
            return False
        return name == "postgres" and rest.split()[0] != "Z"
    listed = subprocess.run(
        ["ps", "-o", "comm=", "-p", str(pid)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return Path(listed.stdout.strip()).name == "postgres"
