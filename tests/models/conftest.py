"""One world a module, in a transaction that is never committed; every test works in its own savepoint."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from tests.models.rows import World, check_now
from tests.models.world import make_world


@pytest.fixture(scope="module")
def standing_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Rows for a whole module to copy; they satisfy every constraint, deferred ones too."""
    with django_db_blocker.unblock():
        try:
            with transaction.atomic():
                world = make_world()
                check_now()
                with connection.cursor() as cursor:
                    cursor.execute("SET CONSTRAINTS ALL DEFERRED")
                yield world
                transaction.set_rollback(True)
        finally:
            connection.close()


@pytest.fixture
def world(standing_world: World) -> Iterator[World]:
    """The standing rows; what a test does to them is undone."""
    undo = transaction.savepoint()
    yield standing_world
    transaction.savepoint_rollback(undo)
    connection.needs_rollback = False
