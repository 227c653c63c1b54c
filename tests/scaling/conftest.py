"""A memory among much more, for plans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.postgres import connect
from tests.scaling.large import Large, make_large, remove

FORGET = """
SELECT pg_clear_relation_stats('public', relname),
       (SELECT count(pg_clear_attribute_stats('public', relname, attname, false))
        FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped)
FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


@pytest.fixture(scope="module", autouse=True)
def nothing_known(django_db_setup: None) -> None:
    """No statistics are left of the rows of other tests, which plans would depend on."""
    if settings.IS_DATABASE_EMBEDDED:
        with connect(layout_of(settings.DATA_DIR), connection.settings_dict["NAME"]) as superuser:
            superuser.execute(FORGET)


@pytest.fixture(scope="module")
def large(django_db_setup: None, django_db_blocker: Any) -> Iterator[Large]:
    """Committed: statistics of tables are of what is committed."""
    with django_db_blocker.unblock():
        yield make_large()
        remove()
