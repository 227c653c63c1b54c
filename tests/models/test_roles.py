"""The application's role reads and writes rows; it cannot change or evade the schema that holds them."""

import pytest
from django.conf import settings
from django.db import DatabaseError, connection

from memseek_site.databases import APPLICATION_PRIVILEGES

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(settings.DATABASE_OWNER is None, reason="the settings name no owner of the schema"),
]

OWNER = (settings.DATABASE_OWNER or {}).get("USER")
EVASIONS = {
    "switch triggers and foreign keys off": "SET session_replication_role = replica",
    "disable a trigger": "ALTER TABLE memory_message DISABLE TRIGGER message_is_immutable",
    "disable all triggers": "ALTER TABLE memory_evidence DISABLE TRIGGER ALL",
    "drop a trigger": "DROP TRIGGER evidence_not_the_last ON memory_evidence",
    "drop a constraint": "ALTER TABLE memory_evidence DROP CONSTRAINT evidence_message_fk",
    "drop a table": "DROP TABLE memory_outbox",
    "drop an index": "DROP INDEX atom_one_live_per_chain",
    "replace a trigger's function": (
        "CREATE OR REPLACE FUNCTION memory_refuse_edit() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN RETURN NEW; END'"
    ),
    "drop a trigger's function": "DROP FUNCTION memory_refuse_edit() CASCADE",
    "make a table": "CREATE TABLE memory_copy AS SELECT * FROM memory_message",
    "become the owner": f'SET ROLE "{OWNER}"',
    "give itself rights": "ALTER ROLE CURRENT_USER SUPERUSER",
    "take a table": "ALTER TABLE memory_message OWNER TO CURRENT_USER",
    "read files": "SELECT pg_read_file('/etc/hostname')",
}
OWNED_OBJECTS = """
    SELECT relname::text FROM pg_class WHERE relowner = CURRENT_USER::regrole
    UNION SELECT proname::text FROM pg_proc WHERE proowner = CURRENT_USER::regrole
    UNION SELECT nspname::text FROM pg_namespace WHERE nspowner = CURRENT_USER::regrole
    UNION SELECT datname::text FROM pg_database WHERE datdba = CURRENT_USER::regrole
    UNION SELECT typname::text FROM pg_type WHERE typowner = CURRENT_USER::regrole
"""


def test_the_application_owns_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute(OWNED_OBJECTS)
        assert cursor.fetchall() == []


def test_the_application_has_no_power_beyond_the_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,"
            " (SELECT count(*) FROM pg_auth_members WHERE member = pg_roles.oid)"
            " FROM pg_roles WHERE rolname = CURRENT_USER"
        )
        assert cursor.fetchall() == [(False, False, False, False, False, 0)]


@pytest.mark.parametrize("evasion", EVASIONS)
def test_the_application_cannot(evasion: str) -> None:
    with pytest.raises(DatabaseError) as refusal, connection.cursor() as cursor:
        cursor.execute(EVASIONS[evasion])
    assert refusal.value.__cause__.sqlstate == "42501"  # type: ignore[union-attr]  # insufficient privilege


def test_the_application_is_not_granted_truncate_which_passes_the_row_triggers_by() -> None:
    granted = " ".join(APPLICATION_PRIVILEGES)
    assert [word for word in ("TRUNCATE", "TRIGGER", "REFERENCES", " ALL PRIV") if word in granted] == []
