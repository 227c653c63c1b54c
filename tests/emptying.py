"""Emptying the tables after a test that commits: many times quicker than to truncate all of them.

Truncating makes new files for each table and index, full or not, and Django then writes its permissions anew.
Rows of few pages are deleted instead, with triggers and foreign keys aside; permissions stay as they are.
"""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.test import TransactionTestCase

from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.postgres import connect

KEPT = ("django_migrations", "django_content_type", "auth_permission")
"""What a migrated database holds before the first test."""
FEW_PAGES_BYTES = 512 * 1024
"""A table that has grown beyond is truncated, with those that refer to it: dead rows would pile up."""
EMPTY = f"""
DO $$
DECLARE filled regclass;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR filled IN
        SELECT oid FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
          AND relname <> ALL ('{{{",".join(KEPT)}}}')
    LOOP
        IF pg_relation_size(filled) > {FEW_PAGES_BYTES} THEN
            EXECUTE format('TRUNCATE %s CASCADE', filled);
        ELSE
            EXECUTE format('DELETE FROM %s', filled);
        END IF;
    END LOOP;
END $$
"""


def install_emptying() -> None:
    """Have tests that commit clean up by it; only the embedded server's superuser may set triggers aside."""
    TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[attr-defined]


def empty_tables(_: TransactionTestCase) -> None:
    """In place of Django's flush; by a connection of its own, so that a dump finds nothing of ours."""
    with connect(layout_of(settings.DATA_DIR), connection.settings_dict["NAME"]) as superuser:
        superuser.execute(EMPTY)
