"""Every test runs on real servers: those of DATABASE_URL and REDIS_URL, or embedded ones of its own."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import setup_databases, teardown_databases

from memseek_site.databases import connected_as_owner, grant_to_application
from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.postgres import connect
from memseek_site.embedded.users import ensure_embedded
from tests.api.contract.middleware import broken
from tests.emptying import install_emptying


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first: side by side, a long one at the end would be waited for alone."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True)
def contract() -> Iterator[None]:
    """Whatever the API replied in a test is what the OpenAPI document promises."""
    broken.clear()
    yield
    assert broken == []


@pytest.fixture(scope="session")
def servers() -> Iterator[None]:
    """Servers that answer, for the whole session; the embedded ones trade durability for speed."""
    if not (settings.IS_DATABASE_EMBEDDED or settings.IS_BROKER_EMBEDDED):
        yield
        return
    use = ensure_embedded(settings.DATA_DIR, is_durable=False)
    if settings.IS_DATABASE_EMBEDDED:
        leave_statistics_alone()
    yield
    use.release()


@pytest.fixture(scope="session")
def django_db_setup(servers: None, django_db_blocker: Any) -> Iterator[None]:
    """A test database made and migrated by the owner, used as the application's role."""
    if settings.IS_DATABASE_EMBEDDED:
        drop_databases_of_dead_runs()
    with django_db_blocker.unblock(), connected_as_owner():
        made = setup_databases(verbosity=0, interactive=False)
        grant_to_application()
        grant_truncate()
    if settings.IS_DATABASE_EMBEDDED:
        install_emptying()
    yield
    if settings.IS_DATABASE_EMBEDDED:
        end_sessions_of_threads(connection.settings_dict["NAME"])
    with django_db_blocker.unblock(), connected_as_owner():
        teardown_databases(made, verbosity=0)


def leave_statistics_alone() -> None:
    """Plans then depend on what a test did, not on when the server last looked at the rows of another one."""
    with connect(layout_of(settings.DATA_DIR)) as superuser:
        superuser.execute("ALTER SYSTEM SET autovacuum = off")
        superuser.execute("SELECT pg_reload_conf()")


def end_sessions_of_threads(database: str) -> None:
    """A thread of a live server may still answer a browser's last request when the tests are over."""
    with connect(layout_of(settings.DATA_DIR)) as superuser:
        superuser.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database]
        )


def grant_truncate() -> None:
    """Tests that commit empty the tables afterwards; the application itself never does."""
    role = connection.ops.quote_name(settings.DATABASES["default"]["USER"])
    with connection.cursor() as cursor:
        cursor.execute(f"GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO {role}")


def drop_databases_of_dead_runs() -> None:
    """A killed run leaves its database behind; the process number in the name tells whose it was."""
    with connect(layout_of(settings.DATA_DIR)) as superuser:
        found = superuser.execute("SELECT datname FROM pg_database WHERE datname LIKE 'test\\_memseek\\_%'")
        for (name,) in found.fetchall():
            if not is_alive(int(name.rsplit("_", 1)[1])):
                superuser.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def is_alive(process: int) -> bool:
    """Whether a process of this number runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@pytest.fixture(scope="session")
def broker_url(servers: None) -> str:
    """Address of the broker, as Celery takes it."""
    return str(settings.CELERY_BROKER_URL)
