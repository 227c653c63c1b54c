"""The checker looks at the database itself: rules lost or put aside, broken references, numbers behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from memory.stewardship.verify import inspect
from memseek_site.databases import connected_as_owner
from tests.verifying.world import World, make_world

RECEIPT_OF_NOTHING = """
    ALTER TABLE memory_evidence DROP CONSTRAINT evidence_message_fk;
    ALTER TABLE memory_evidence DISABLE TRIGGER evidence_is_immutable;
    UPDATE memory_evidence SET message_id = gen_random_uuid() WHERE of_atom_id = %(deadline)s;
    SET CONSTRAINTS ALL IMMEDIATE;
    ALTER TABLE memory_evidence ENABLE TRIGGER evidence_is_immutable;
    ALTER TABLE memory_evidence ADD CONSTRAINT evidence_message_fk
        FOREIGN KEY (workspace_id, entity_id, message_id)
        REFERENCES memory_message (workspace_id, entity_id, id) NOT VALID
"""
WAYS = {
    "ALTER TABLE memory_message DROP CONSTRAINT message_ordinal_once": [
        ("rule_missing", "message_ordinal_once")
    ],
    "DROP INDEX atom_one_live_per_chain": [("rule_missing", "atom_one_live_per_chain")],
    "DROP TRIGGER message_is_queued ON memory_message": [("rule_missing", "message_is_queued")],
    "ALTER TABLE memory_atom DISABLE TRIGGER atom_has_evidence": [
        ("rule_off", "memory_atom atom_has_evidence")
    ],
    RECEIPT_OF_NOTHING: [
        ("foreign_evidence", "memory_evidence {receipt}"),
        ("rule_off", "memory_evidence evidence_message_fk"),
        ("reference_broken", "memory_evidence {receipt}"),
    ],
    "SELECT setval('memory_record_number', 1)": [("sequence_behind", "memory_record_number")],
    "SELECT setval(pg_get_serial_sequence('memory_evidence', 'id'), 1)": [
        ("sequence_behind", "memory_evidence id")
    ],
}


@pytest.fixture
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Whole rows under all the rules, as the owner sees them; never committed."""
    with django_db_blocker.unblock(), connected_as_owner(), transaction.atomic():
        world = make_world()
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        yield world
        transaction.set_rollback(True)


def test_a_database_with_all_its_rules_is_whole(world: World) -> None:
    report = inspect(is_settled=True)
    assert (report.problems, report.cut) == ((), ())
    assert report.rows == {
        "sessions": 3,
        "messages": 5,
        "digests": 1,
        "atoms": 5,
        "scene versions": 3,
        "lines": 5,
        "trait versions": 2,
        "procedure versions": 1,
        "receipts": 22,
        "edges": 1,
        "search units": 15,
        "runs": 6,
    }


@pytest.mark.parametrize("way", WAYS)
def test_what_a_broken_restore_leaves_behind_is_named(world: World, way: str) -> None:
    receipt = world.alice.deadline.evidence.get().pk
    numbers = _numbers()
    try:
        with connection.cursor() as cursor:
            for statement in way.split(";"):
                cursor.execute(statement, world.names)
        found = [(problem.kind, problem.row) for problem in inspect().problems]
    finally:
        # What a sequence gives is no part of a transaction.
        _set_numbers(numbers)
    assert found == [(kind, row.format(receipt=receipt)) for kind, row in WAYS[way]]


def test_one_entity_is_looked_at_without_the_database(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX atom_one_live_per_chain")
    report = inspect(world.alice.entity)
    assert (report.problems, report.rows["messages"]) == ((), 4)


def _numbers() -> list[tuple[str, int]]:
    names = ("memory_record_number", "memory_evidence_id_seq")
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{name}', last_value FROM {name}" for name in names))
        return list(cursor.fetchall())


def _set_numbers(numbers: list[tuple[str, int]]) -> None:
    with connection.cursor() as cursor:
        for name, number in numbers:
            cursor.execute("SELECT setval(%s, %s)", [name, number])
