"""What the commands `serve` and `demo` share: a database that is ready, and the site in front of a person."""

from typing import Any

from django.conf import settings
from django.core.management import CommandError, CommandParser, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from memseek_site.embedded.locks import FileLock
from memseek_site.servers import ensure_servers
from memseek_site.supervisor import Supervisor, Write, first_free_port, is_answering, web_child, worker_child

DEFAULT_PORT = 8000
MIGRATION_TIMEOUT_SECONDS = 300
PORTS_TO_TRY = 20


def add_address_arguments(parser: CommandParser) -> None:
    """--host and --port."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, help=f"port to listen on ({DEFAULT_PORT})")


def migrate_if_needed() -> None:
    """Bring an embedded database up to date; refuse to serve on another one that is not."""
    if not settings.IS_DATABASE_EMBEDDED:
        if is_behind():
            raise CommandError("The database is not migrated. Run: python manage.py migrate")
        return
    # Two terminals may begin at once: the second finds everything done.
    with FileLock(settings.DATA_DIR / "migrate.lock", is_exclusive=True) as lock:
        if not lock.acquire(timeout_seconds=MIGRATION_TIMEOUT_SECONDS):
            raise CommandError("Another process has been migrating the embedded database for too long.")
        if is_behind():
            call_command("migrate", verbosity=0, interactive=False)


def is_behind() -> bool:
    """Whether a migration is not applied."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def choose_port(host: str, wanted: int | None, *, is_flexible: bool) -> int:
    """The port to listen on; a flexible caller who named none takes the next free one."""
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TO_TRY) if wanted is None and is_flexible else None
    port = first_free_port(host, ports or [wanted or DEFAULT_PORT])
    if port is None:
        taken = f"Port {wanted or DEFAULT_PORT} of {host} is taken"
        raise CommandError(f"{taken}; choose another one with --port, or PORT= with make.")
    return port


def log_level(options: dict[str, Any]) -> str:
    """Quiet unless --verbosity asks for more."""
    return "warning" if int(options["verbosity"]) < 2 else "info"


def serve(supervisor: Supervisor, write: Write, *, host: str, port: int, level: str) -> None:
    """Serve until a signal arrives; a worker is added unless the supervisor has one."""
    if not any(child.name == "worker" for child in supervisor.children):
        supervisor.add(worker_child(write, log_level=level))
    supervisor.add(web_child(write, host=host, port=port, log_level=level))
    supervisor.tend_until(lambda: is_answering(host, port))
    if not supervisor.is_stopping:
        shown = f"[{host}]" if ":" in host else host
        write(f"Memseek is at http://{shown}:{port}/  (Ctrl-C stops it)")
    supervisor.tend_until(lambda: False)


def finish(supervisor: Supervisor) -> None:
    """Leave no child behind, and no embedded server that nobody else uses."""
    supervisor.stop()
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    use = ensure_servers()
    if use is not None:
        use.release_and_wait()
