"""Do database and broker answer, and is the schema up to date?"""

from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import OperationalError

from memseek_site.celery import application
from memseek_site.doctor.findings import Finding, broken, fine, note

BROKER_TIMEOUT_SECONDS = 3
ROLE_QUERY = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
EXTENSION_QUERY = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"


def examine_database() -> Iterator[Finding]:
    """Reachable, with pgvector, used by a harmless role, migrated. Stops at the first that is broken."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            version = str(cursor.fetchone()[0]).split()[0]
            cursor.execute(EXTENSION_QUERY)
            extension = cursor.fetchone()
            cursor.execute(ROLE_QUERY)
            (is_mighty,) = cursor.fetchone()
    except DatabaseError as problem:
        yield broken("database", f"{where()} does not answer ({type(problem).__name__})", _database_mend())
        return
    if extension is None:
        mend = "Run CREATE EXTENSION vector in it as a superuser; the server needs pgvector 0.7 or newer."
        yield broken("database", f"PostgreSQL {version} at {where()} has no extension vector", mend)
        return
    yield fine("database", f"PostgreSQL {version} with pgvector {extension[0]} at {where()}")
    if is_mighty:
        mend = "Give DATABASE_URL a role that owns nothing, and DATABASE_OWNER_URL the schema's owner."
        yield note("database", "the application's role bypasses the database's own protection", mend)


def where() -> str:
    """The database's place without user or password."""
    database = connection.settings_dict
    if settings.IS_DATABASE_EMBEDDED:
        return f"the embedded server in {settings.DATA_DIR}"
    return f"{database['HOST'] or 'localhost'}:{database['PORT'] or 5432}/{database['NAME']}"


def _database_mend() -> str:
    if settings.IS_DATABASE_EMBEDDED:
        return f"Look into {settings.DATA_DIR / 'logs'}."
    return "Start the server, or correct DATABASE_URL."


def examine_migrations() -> Iterator[Finding]:
    """Whether every migration is applied."""
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as problem:
        text = f"the application's role cannot read them ({type(problem).__name__})"
        yield broken("migrations", text, "Run: python manage.py migrate")
        return
    if plan:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in plan[:3])
        more = f" and {len(plan) - 3} more" if len(plan) > 3 else ""
        yield broken("migrations", f"not applied: {names}{more}", "Run: python manage.py migrate")
    else:
        yield fine("migrations", "all applied")


def examine_broker() -> Iterator[Finding]:
    """Whether the broker accepts a connection."""
    place = "the embedded broker" if settings.IS_BROKER_EMBEDDED else "the broker of REDIS_URL"
    try:
        with application.connection_for_write(connect_timeout=BROKER_TIMEOUT_SECONDS) as link:
            link.ensure_connection(max_retries=1, timeout=BROKER_TIMEOUT_SECONDS)
    except (OperationalError, OSError) as problem:
        mend = "Start the server, or correct REDIS_URL. Stored messages are safe: the sweep finds them later."
        yield broken("broker", f"{place} does not answer ({type(problem).__name__})", mend)
    else:
        yield fine("broker", f"{place} answers")
