"""What PostgreSQL's own catalogue says of the schema, against what the code declares and the tests try."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models

import memory
from memory.models import UnitVector
from tests.models.attempts import COPIES, IMPLIED
from tests.models.statements import STATEMENTS

pytestmark = pytest.mark.django_db

FOLDER = Path(memory.__file__).parent / "migrations" / "sql"
SQL = "\n".join(
    (FOLDER / name).read_text()
    for name in (
        "0002_integrity.sql",
        "0004_search.sql",
        "0005_designs.sql",
        "0008_sessions_claims_graph.sql",
        "0010_stewardship_skills.sql",
        "0012_shares_replies_events.sql",
        "0016_one_constraint_a_reference.sql",
        "0017_record_counts.sql",
    )
)
RUNS = {"run", "consumed_by", "parked_by"}
"""References that outlive the run which they name: they have no foreign key."""
HELD_ALONE = {"key_in_workspace", "unit_vector_unit_fk"}
"""Keys in the SQL that are not composite ones. A vector points to its unit by the id alone: the unit's table
is the largest, a second unique key on it dear, and search looks at the owner of both."""
HELD_BY_ONE_OF_SEVERAL = {"memory_evidence", "memory_skillinput"}
"""Of several references that may be empty, a check lets exactly one be set."""
OF_NO_ENTITY_SOMETIMES = {"memory_erasure", "memory_outbox"}
"""What is left of an entity that was erased whole; such an event is of a workspace by its column alone."""
LOOKED_UP_TWICE = {
    *(("memory_key_entities", "entity_id"), ("memory_key_entities", "key_id")),
    *(("memory_share", "reader_id"), ("memory_idempotentreply", "key_id")),
}
"""References of which few are ever written."""
NO_REFUSALS = {
    "key_entity_takes_workspace",
    *("message_is_queued", "atom_is_queued", "atom_change_is_queued", "scene_version_is_queued"),
    *("atom_waits_for_promotion", "atom_change_waits_for_promotion"),
    *("policy_change_waits_for_promotion", "graph_edge_takes_bare_nodes"),
    *("message_is_counted", "message_is_counted_off"),
    *("atom_is_counted", "atom_is_counted_anew", "atom_is_counted_off"),
    *("trace_waits_for_skills", "feedback_waits_for_skills"),
    *("scene_end_is_queued", "trait_version_is_queued", "trait_end_is_queued"),
}
"""Triggers that fill a column or the queue of the index, or count, and refuse nothing."""

# A unique key that holds the primary key cannot be broken alone: it is there for composite keys to point at.
BREAKABLE = """
    SELECT conname FROM pg_constraint
    WHERE conrelid::regclass::text LIKE 'memory\\_%%'
      AND (contype IN ('c', 'x') OR contype = 'f' AND cardinality(conkey) > 1
           OR contype = 'u' AND NOT EXISTS (
               SELECT 1 FROM pg_constraint key WHERE key.conrelid = pg_constraint.conrelid
                 AND key.contype = 'p' AND key.conkey <@ pg_constraint.conkey))
    UNION
    SELECT indexrelid::regclass::text FROM pg_index
    WHERE indrelid::regclass::text LIKE 'memory\\_%%' AND indisunique
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
"""
FOREIGN_KEYS = """
    SELECT conname, conrelid::regclass::text, confrelid::regclass::text,
           ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
                 JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY place),
           ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY AS key (number, place)
                 JOIN pg_attribute ON attrelid = confrelid AND attnum = number ORDER BY place)
    FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text LIKE 'memory\\_%%'
"""
TRIGGERS = (
    "SELECT tgname FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'memory\\_%%' AND NOT tgisinternal"
)
NAMES = """
    SELECT conname::text FROM pg_constraint WHERE conrelid::regclass::text LIKE 'memory\\_%%'
    UNION SELECT relname::text FROM pg_class WHERE relkind = 'i'
    UNION SELECT tgname::text FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'memory\\_%%'
"""


def rows_of(query: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, [])
        return [tuple(row) for row in cursor.fetchall()]


def names_of(query: str) -> set[str]:
    return {name for (name,) in rows_of(query)}


def composite_keys() -> dict[str, tuple[str, ...]]:
    """Name of each key over several columns: table, columns, table it points to, columns there."""
    found = rows_of(FOREIGN_KEYS)
    return {
        name: (table, *columns, target, *target_columns)
        for name, table, target, columns, target_columns in found
        if len(columns) > 1
    }


def test_every_constraint_of_the_database_is_tried() -> None:
    tried = {attempt.constraint for attempt in COPIES} | {constraint for constraint, _ in STATEMENTS}
    assert names_of(BREAKABLE) | names_of(TRIGGERS) == tried | set(IMPLIED) | NO_REFUSALS


def test_every_constraint_that_the_models_declare_stands_under_its_name() -> None:
    declared = {
        named.name
        for model in apps.get_app_config("memory").get_models()
        for named in (*model._meta.constraints, *model._meta.indexes)
    }
    assert declared - names_of(NAMES) == set()


def test_the_sql_declares_every_composite_key_and_trigger_of_the_database() -> None:
    declared = set(re.findall(r"(?:ADD CONSTRAINT|CREATE (?:CONSTRAINT )?TRIGGER) (\w+)", SQL))
    assert declared == {*composite_keys(), *names_of(TRIGGERS), *HELD_ALONE}


def test_every_receipt_is_held_by_workspace_entity_and_id_on_both_ends() -> None:
    targets = {
        "of_atom": "atom",
        "of_line": "line",
        "of_trait_version": "traitversion",
        "of_digest": "digest",
        "message": "message",
        "atom": "atom",
        "line": "line",
        "correction": "correction",
        "of_procedure_line": "procedureline",
        "trace_step": "tracestep",
        "feedback": "feedback",
    }
    held = {name: key for name, key in composite_keys().items() if key[0] == "memory_evidence"}
    owner = ("workspace_id", "entity_id")
    assert held == {
        f"evidence_{column}_fk": ("memory_evidence", *owner, f"{column}_id", f"memory_{target}", *owner, "id")
        for column, target in targets.items()
    }


def has_entity(model: type[models.Model]) -> bool:
    return any(field.name == "entity" for field in model._meta.fields)


def test_every_reference_between_rows_of_an_entity_is_held_over_the_entity() -> None:
    owner = ("workspace_id", "entity_id")
    references = {
        (model._meta.db_table, *owner, field.column, target._meta.db_table, *owner, "id")
        for model in apps.get_app_config("memory").get_models()
        for field in model._meta.fields
        if (target := field.related_model) and field.name not in RUNS
        if (model, field.name) != (UnitVector, "unit")
        if has_entity(model) and has_entity(target)
    }
    held = {key for key in composite_keys().values() if len(key) == 8}
    assert held == references


def test_every_table_with_an_entity_lies_in_that_entitys_workspace() -> None:
    keys = composite_keys().values()
    towards_entity = {key[0] for key in keys if key[-3:] == ("memory_entity", "workspace_id", "id")}
    towards_owned = {key[0] for key in keys if len(key) == 8}
    tables = {
        model._meta.db_table for model in apps.get_app_config("memory").get_models() if has_entity(model)
    }
    assert tables - towards_entity - towards_owned == set()


def test_every_row_with_an_entity_is_held_by_a_key_that_is_never_empty() -> None:
    held = {key[0] for key in composite_keys().values() if columns_that_are_never_empty(key)}
    tables = {
        model._meta.db_table for model in apps.get_app_config("memory").get_models() if has_entity(model)
    }
    assert tables - held == HELD_BY_ONE_OF_SEVERAL | OF_NO_ENTITY_SOMETIMES


def columns_that_are_never_empty(key: tuple[str, ...]) -> bool:
    """Whether a composite key, as `composite_keys` has it, looks at every row of its table."""
    table, *columns = key[: len(key) // 2]
    models_of = apps.get_models(include_auto_created=True)
    [model] = [model for model in models_of if model._meta.db_table == table]
    return not any(field.null for field in model._meta.fields if field.column in columns)


def test_no_reference_is_looked_up_twice() -> None:
    composite = {(table, columns[-1]) for table, *columns in map(half, composite_keys().values())}
    alone = {(table, columns[0]) for _, table, _, columns, _ in rows_of(FOREIGN_KEYS) if len(columns) == 1}
    assert composite & alone == LOOKED_UP_TWICE


def half(key: tuple[str, ...]) -> tuple[str, ...]:
    return key[: len(key) // 2]
