"""The two workspaces, made once for all tests here; what a test changes is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.isolation.world import World, make_world, remove_world


@pytest.fixture(scope="package")
def committed_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock():
        try:
            yield make_world()
        finally:
            remove_world()


@pytest.fixture
def world(committed_world: World, db: None) -> World:
    return committed_world


@pytest.fixture
def world_as_it_lies(committed_world: World, django_db_blocker: Any) -> Iterator[World]:
    """Outside of a test's transaction, for what opens one of its own kind; nothing may be changed."""
    with django_db_blocker.unblock():
        yield committed_world
