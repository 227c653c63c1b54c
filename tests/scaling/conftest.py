"""A memory among much more, for plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.scaling.large import Large, make_large, remove


@pytest.fixture(scope="module")
def large(django_db_setup: None, django_db_blocker: Any) -> Iterator[Large]:
    """Committed: statistics of tables are of what is committed."""
    with django_db_blocker.unblock():
        yield make_large()
        remove()
