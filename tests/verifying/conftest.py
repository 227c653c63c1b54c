"""One world for a module, made by the schema's owner in a transaction that is never committed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from memseek_site.databases import connected_as_owner
from tests.verifying.world import World, lose_rules, make_world


@pytest.fixture(scope="module")
def lawless_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Whole rows in a database that has lost its rules."""
    with django_db_blocker.unblock(), connected_as_owner(), transaction.atomic():
        world = make_world()
        lose_rules()
        yield world
        transaction.set_rollback(True)


@pytest.fixture
def lawless(lawless_world: World, django_db_blocker: Any) -> Iterator[World]:
    """What a test does to the rows is undone."""
    with django_db_blocker.unblock():
        undo = transaction.savepoint()
        yield lawless_world
        transaction.savepoint_rollback(undo)
