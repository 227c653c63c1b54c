"""How many SQL statements a page takes."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

STATEMENTS_LIMIT = 12
AROUND = ("SELECT set_config(", "SAVEPOINT ", "ROLLBACK TO SAVEPOINT ", "RELEASE SAVEPOINT ")
"""What sets the server's time limit for a statement: sent with it, or in a test's transaction around it."""


def statements(client: Client, path: str) -> int:
    """Of one request that succeeds: those that read or write rows."""

    def ask() -> None:
        assert client.get(path).status_code == 200

    return statements_of(ask)


def statements_of(work: Callable[[], object]) -> int:
    """The same of anything else."""
    with CaptureQueriesContext(connection) as captured:
        work()
    return sum(not (query["sql"] or "").startswith(AROUND) for query in captured)


def assert_few_statements(client: Client, path: str, grow: Callable[[], object]) -> None:
    """At most twelve, and as many after the memory has grown."""
    before = statements(client, path)
    grow()
    assert (statements(client, path), before <= STATEMENTS_LIMIT) == (before, True)
