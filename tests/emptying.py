"""Emptying the tables after a test that commits: many times quicker than to truncate all of them.

Truncating makes new files for each table and index, full or not, and Django then writes its permissions anew.
Rows of few pages are deleted instead, with triggers and foreign keys aside; permissions stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection
from django.test import TransactionTestCase

from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.postgres import connect

KEPT = ("django_migrations", "django_content_type", "auth_permission")
"""What a migrated database holds before the first test."""
FEW_PAGES_BYTES = 4 * 1024 * 1024
"""A table that has grown beyond is truncated with all others, so that dead rows do not pile up."""
FUNCTION = f"""
CREATE SCHEMA testing;
GRANT USAGE ON SCHEMA testing TO PUBLIC;
CREATE FUNCTION testing.empty_tables() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET session_replication_role = replica AS $$
DECLARE filled regclass;
BEGIN
    FOR filled IN
        SELECT oid FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
          AND relname <> ALL ('{{{",".join(KEPT)}}}')
    LOOP
        IF pg_relation_size(filled) > {FEW_PAGES_BYTES} THEN
            RETURN false;
        END IF;
        EXECUTE format('DELETE FROM %s', filled);
    END LOOP;
    RETURN true;
END $$
"""

truncate: Callable[[Any], None] = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]


def install_emptying() -> None:
    """Have tests that commit clean up by it; only the embedded server's superuser may set triggers aside."""
    with connect(layout_of(settings.DATA_DIR), connection.settings_dict["NAME"]) as superuser:
        superuser.execute(FUNCTION)
    TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[attr-defined]


def empty_tables(case: TransactionTestCase) -> None:
    """In place of Django's flush."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT testing.empty_tables()")
        [is_empty] = cursor.fetchone() or [False]
    if not is_empty:
        truncate(case)
