"""What a benchmark runs on: a database of its own, made empty, and the environment it is read from.

To be called before Django's settings are read. Without DATABASE_URL the servers are embedded ones in a folder
that goes when the benchmark ends; a DATABASE_URL names a server whose database is emptied for each run.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

# A key or a model in the shell must not turn a measurement of the project's own time into a paid one.
OWN_PREFIXES = ("MEMSEEK_", "DATABASE_", "REDIS_", "DJANGO_")


@contextmanager
def installation(**variables: str) -> Iterator[None]:
    """An empty, migrated memory with these settings; children inherit them. Nothing of it is left behind."""
    folder = Path(tempfile.mkdtemp(prefix="memseek-bench-"))
    # The servers' account must be able to pass through when root runs the benchmark.
    folder.chmod(0o711)
    _choose_environment({"MEMSEEK_DATA_DIR": str(folder / "data"), **variables})
    try:
        with _servers():
            yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _choose_environment(variables: Mapping[str, str]) -> None:
    for name in list(os.environ):
        if name.startswith(OWN_PREFIXES) or name.endswith("_API_KEY"):
            del os.environ[name]
    os.environ.update(
        {
            "DJANGO_SETTINGS_MODULE": "memseek_site.settings",
            "MEMSEEK_ENV_FILE": "none in benchmarks",
            **variables,
        }
    )


@contextmanager
def _servers() -> Iterator[None]:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from memseek_site.servers import ensure_servers

    use = ensure_servers()
    try:
        call_command("migrate", verbosity=0, interactive=False)
        yield
    finally:
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
        if use is not None:
            use.release_and_wait()


def machine() -> dict[str, Any]:
    """What a figure depends on."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        (postgres,) = cursor.fetchone()
    return {
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "postgresql": postgres,
        **{name: version(name) for name in ("django", "celery", "redis", "psycopg")},
    }


def note(text: str) -> None:
    """A word to whoever watches; standard output is for the figures."""
    print(text, file=sys.stderr, flush=True)
