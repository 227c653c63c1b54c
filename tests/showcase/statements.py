"""How many SQL statements a page takes."""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

STATEMENTS_LIMIT = 12


def statements(client: Client, path: str) -> int:
    """Of one request that succeeds."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def assert_few_statements(client: Client, path: str, grow: Callable[[], object]) -> None:
    """At most twelve, and as many after the memory has grown."""
    before = statements(client, path)
    grow()
    assert (statements(client, path), before <= STATEMENTS_LIMIT) == (before, True)
