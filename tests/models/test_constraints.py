"""Every promise of the schema, tried by plain SQL as the application's role."""

import pytest
from django.db import IntegrityError, transaction

from tests.models.attempts import COPIES, Attempt
from tests.models.rows import FRESH, TABLES, Ref, World, answering, check_now, insert_copy, run_sql
from tests.models.statements import STATEMENTS

RECEIPTS = {
    "atom": ("receipt_of_atom", "of_atom_id"),
    "old_atom": ("receipt_of_atom", "of_atom_id"),
    "line": ("receipt_of_line", "of_line_id"),
    "corrected_line": ("correction_receipt", "of_line_id"),
    "digest": ("receipt_of_digest", "of_digest_id"),
    "claim": ("receipt_of_atom", "of_atom_id"),
    "live_claim": ("receipt_of_atom", "of_atom_id"),
    "procedure_line": ("receipt_of_procedure", "of_procedure_line_id"),
    "asked_line": ("receipt_of_procedure", "of_procedure_line_id"),
    "trait_version": ("receipt_of_trait", "of_trait_version_id"),
    "corrected_trait_version": ("receipt_of_trait", "of_trait_version_id"),
}
OF_NO_ENTITY = {"process", "endpoint", "space"}


def insert_and_check(world: World, attempt: Attempt) -> None:
    insert_copy(world, attempt.row, attempt.changes)
    check_now(attempt.constraint)


def run_and_check(world: World, statement: str, constraint: str) -> None:
    run_sql(world, statement)
    check_now(constraint)


@pytest.mark.parametrize("attempt", COPIES, ids=str)
def test_a_row_that_breaks_a_constraint_is_refused_by_it(world: World, attempt: Attempt) -> None:
    with pytest.raises(IntegrityError) as refusal:
        insert_and_check(world, attempt)
    assert answering(refusal) == attempt.constraint


@pytest.mark.parametrize(("constraint", "statement"), STATEMENTS, ids=str)
def test_a_statement_that_breaks_a_constraint_is_refused_by_it(
    world: World, constraint: str, statement: str
) -> None:
    with pytest.raises(IntegrityError) as refusal:
        run_and_check(world, statement, constraint)
    assert answering(refusal) == constraint


@pytest.mark.parametrize("kind", FRESH)
def test_the_same_row_without_the_breach_is_accepted(world: World, kind: str) -> None:
    copy = insert_copy(world, kind if kind in OF_NO_ENTITY else f"own.{kind}")
    if kind in RECEIPTS:
        receipt, column = RECEIPTS[kind]
        insert_copy(world, f"own.{receipt}", {column: copy})
    check_now()
    assert run_sql({**world, "copy": copy}, f"SELECT 1 FROM {TABLES[kind]} WHERE id = {{copy}}") == 1


def test_a_sixteenth_live_scene_has_no_slot_left(world: World) -> None:
    for slot in range(2, 16):
        insert_copy(world, "own.scene", {"slot": slot})
    refusals = []
    for slot in range(17):
        with pytest.raises(IntegrityError) as refusal, transaction.atomic():
            insert_copy(world, "own.scene", {"slot": slot})
        refusals.append(answering(refusal))
    assert refusals == ["scene_live_has_slot", *["scene_slot_once_live"] * 15, "scene_live_has_slot"]


def test_an_ended_scene_gives_its_slot_free(world: World) -> None:
    ended = run_sql(world, "UPDATE memory_scene SET status = 'retired', slot = NULL WHERE id = {own.scene}")
    insert_copy(world, "near.scene", {"entity_id": Ref("own.entity"), "slot": 1})
    check_now()
    assert ended == 1


def test_a_new_live_atom_takes_the_place_of_the_old_one_in_its_chain(world: World) -> None:
    run_sql(world, "UPDATE memory_atom SET status = 'superseded' WHERE id = {own.atom}")
    newer = insert_copy(world, "own.atom", {"chain_id": Ref("own.chain"), "status": "live"})
    insert_copy(world, "own.receipt_of_atom", {"of_atom_id": newer})
    check_now()
    live = "SELECT 1 FROM memory_atom WHERE chain_id = {own.chain} AND status = 'live' AND id = {newer}"
    assert run_sql({**world, "newer": newer}, live) == 1


def test_a_bound_key_takes_its_own_workspace_whatever_the_writer_says(world: World) -> None:
    bound = insert_copy(world, "own.key_entity", {"workspace_id": Ref("far.workspace")})
    check_now()
    found = run_sql(
        {**world, "bound": bound},
        "SELECT 1 FROM memory_key_entities WHERE id = {bound} AND workspace_id = {own.workspace}",
    )
    assert found == 1
