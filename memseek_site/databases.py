"""Database settings from an address, and doing something as the schema's owner.

The application's role owns nothing. What changes the schema runs inside `connected_as_owner`.
"""

import select
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dj_database_url
import psycopg
from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.rows import TupleRow

from memseek_site.embedded.layout import Layout
from memseek_site.embedded.postgres import APPLICATION_ROLE, DATABASE, OWNER_ROLE
from memseek_site.environment import Environment

POOL_TIMEOUT_SECONDS = 15
CONNECT_TIMEOUT_SECONDS = 10
# A server that is gone without a word is noticed within a minute, not after the system's quarter of an hour.
# Sockets of this machine take no notice of it; an address may set each of them otherwise.
ALIVE = {
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
POSTGRESQL = "django.db.backends.postgresql"
APPLICATION_PRIVILEGES = (
    "GRANT USAGE ON SCHEMA public TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role}",
    "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO {role}",
)


def embedded_database(layout: Layout, *, role: str = APPLICATION_ROLE) -> dict[str, Any]:
    """Django's settings for the embedded server."""
    return {"ENGINE": POSTGRESQL, "NAME": DATABASE, "USER": role, "HOST": str(layout.sockets), "PORT": ""}


def embedded_owner(layout: Layout) -> dict[str, Any]:
    """The same for the schema's owner."""
    return embedded_database(layout, role=OWNER_ROLE)


def database_at(environment: Environment, name: str, address: str) -> dict[str, Any] | None:
    """Django's settings for an address; a problem is noted and None returned when it is no PostgreSQL."""
    try:
        parsed = dict(dj_database_url.parse(address))
    except ValueError:
        parsed = {}
    if parsed.get("ENGINE") != POSTGRESQL or not parsed.get("NAME"):
        hint = "Write postgresql://user:password@host:5432/database, special characters percent-encoded."
        environment.reject(name, f"{name} is no address of a PostgreSQL database.", hint)
        return None
    return parsed


def with_pool(database: dict[str, Any], *, size: int, keeps_plans: bool) -> dict[str, Any]:
    """Connections from psycopg's pool: persistent ones do not work under ASGI.

    With `keeps_plans` what asks with values bound by the server is prepared when it is asked first.
    """
    pool = {
        "min_size": 1,
        "max_size": size,
        "timeout": POOL_TIMEOUT_SECONDS,
        "connection_class": PooledConnection,
    }
    options = {
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        **ALIVE,
        "prepare_threshold": 0 if keeps_plans else None,
        **database.get("OPTIONS", {}),
        "pool": pool,
    }
    return {**database, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "OPTIONS": options}


class PooledConnection(psycopg.Connection[TupleRow]):
    """A connection of the pool, which executes nothing to see whether it is alive before it is given.

    It asks the server only where something has come that nobody asked for: its end, or the reason of one. To
    ask each time would be an exchange more for every request.
    Where one was cut the others probably were: they are looked at together and replaced. By itself the pool
    finds them one by one, with a longer pause after each, and a request gives up before the last.
    """

    def execute(self, *statement: Any, **options: Any) -> psycopg.Cursor[TupleRow]:
        """As psycopg does; Django's cursors do not come here."""
        if statement == ("",) and not self.closed and not _has_something_to_read(self.fileno()):
            return self.cursor()
        try:
            return super().execute(*statement, **options)
        except psycopg.OperationalError:
            if self.broken:
                connections["default"].pool.check()  # type: ignore[attr-defined]
            raise


def _has_something_to_read(descriptor: int) -> bool:
    watched = select.poll()
    watched.register(descriptor, select.POLLIN)
    return bool(watched.poll(0))


@contextmanager
def connected_as_owner() -> Iterator[None]:
    """Connect as the schema's owner inside the block; as before when the settings name no owner."""
    owner: dict[str, Any] | None = settings.DATABASE_OWNER
    if owner is None:
        yield
        return
    with _connected_with({**owner, "OPTIONS": owner.get("OPTIONS", {})}):
        yield


@contextmanager
def connected_without_pool() -> Iterator[None]:
    """Connect directly inside the block: an error comes at once, where a pool goes on trying."""
    options = connections["default"].settings_dict["OPTIONS"]
    with _connected_with({"OPTIONS": {name: value for name, value in options.items() if name != "pool"}}):
        yield


@contextmanager
def _connected_with(changes: dict[str, Any]) -> Iterator[None]:
    """Other settings for the block. The database's name is not changed back: tests change it within."""
    connection = connections["default"]
    before = connection.settings_dict
    try:
        _reconnect(connection, {**before, **changes, "NAME": before["NAME"]})
        yield
    finally:
        _reconnect(connection, {**before, "NAME": connection.settings_dict["NAME"]})


def _reconnect(connection: BaseDatabaseWrapper, database: dict[str, Any]) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    connection.settings_dict = database


def grant_to_application() -> None:
    """Let the application's role read and write rows of all tables, and of those that the owner will make.

    To be called as the owner.
    """
    connection = connections["default"]
    role = connection.ops.quote_name(settings.DATABASES["default"]["USER"])
    with connection.cursor() as cursor:
        for statement in APPLICATION_PRIVILEGES:
            cursor.execute(statement.format(role=role))
