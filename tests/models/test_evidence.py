"""Nothing derived stands without evidence: what a commit refuses, and what it lets pass."""

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from memory.models import Atom, Chain, Entity, Evidence, Line, Scene, Trait, TraitVersion
from tests.factories import make_atom, make_entity, make_message
from tests.models.rows import TABLES, Ref, World, answering, check_now, insert_copy, run_sql

TOGETHER = {
    "atom": [
        "memory_evidence WHERE of_atom_id = {own.old_atom}",
        "memory_atom WHERE id = {own.old_atom}",
    ],
    "line": [
        "memory_evidence WHERE of_line_id = {own.spare_line}",
        "memory_line WHERE id = {own.spare_line}",
    ],
    "trait_version": [
        "memory_traitversion WHERE id = {own.trait_version}",
        "memory_evidence WHERE of_trait_version_id = {own.trait_version}",
    ],
}


def write_without_evidence(entity: Entity, kind: str) -> None:
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    if kind == "atom":
        chain = Chain.objects.create(**owner)
        Atom.objects.create(**owner, chain=chain, text="Nobody said it.", kind="episodic", priority=50)
    elif kind == "line":
        scene = Scene.objects.create(**owner, slug="bare", slot=1)
        Line.objects.create(**owner, scene=scene, section="core_sop", text="Nobody said it.")
    else:
        trait = Trait.objects.create(**owner, slot="role")
        TraitVersion.objects.create(**owner, trait=trait, number=1, text="Nobody said it.")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["atom", "line", "trait_version"])
def test_a_commit_refuses_a_derived_row_without_evidence(kind: str) -> None:
    entity = make_entity()
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        write_without_evidence(entity, kind)
    left = [model.objects.count() for model in (Atom, Line, TraitVersion)]
    assert (answering(refusal), left) == (f"{kind}_has_evidence", [0, 0, 0])


@pytest.mark.parametrize("derived", TOGETHER)
def test_the_last_evidence_goes_together_with_what_rested_on_it(world: World, derived: str) -> None:
    touched = [run_sql(world, f"DELETE FROM {statement}") for statement in TOGETHER[derived]]
    check_now()
    assert touched == [1] * len(touched)


def take(receipt: Evidence) -> psycopg.Connection[tuple[object, ...]]:
    """Another writer, at its commit: the receipt taken away, the deferred constraints looked at."""
    server = connection.settings_dict
    address = {"host": server["HOST"], "port": server["PORT"], "password": server.get("PASSWORD", "")}
    writer = psycopg.connect(user=server["USER"], dbname=server["NAME"], **address)
    writer.execute("SET lock_timeout = '100ms'")
    writer.execute("DELETE FROM memory_evidence WHERE id = %s", [receipt.pk])
    try:
        writer.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg.Error:
        writer.close()
        raise
    return writer


@pytest.mark.django_db(transaction=True)
def test_two_writers_cannot_take_one_of_the_last_two_receipts_each() -> None:
    entity = make_entity()
    messages = [make_message(entity, "Keep billing on Express."), make_message(entity, "As I said.")]
    with transaction.atomic():
        make_atom(entity, "Billing stays on Express.", messages)
    first, second = Evidence.objects.order_by("id")
    with take(first), pytest.raises(psycopg.errors.LockNotAvailable):
        take(second)
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation) as refusal:
        take(second)
    assert (refusal.value.diag.constraint_name, list(Evidence.objects.all())) == (
        "evidence_not_the_last",
        [second],
    )


def test_one_of_two_receipts_may_go(world: World) -> None:
    insert_copy(world, "own.receipt_of_atom")
    gone = run_sql(world, "DELETE FROM memory_evidence WHERE id = {own.receipt_of_atom}")
    check_now()
    assert gone == 1


def test_an_erased_line_needs_no_evidence(world: World) -> None:
    erased = run_sql(world, "UPDATE memory_line SET text = '', erased_at = now() WHERE id = {own.line}")
    gone = run_sql(world, "DELETE FROM memory_evidence WHERE of_line_id = {own.line}")
    check_now()
    assert (erased, gone) == (1, 1)


def test_an_erased_line_gets_no_other_text(world: World) -> None:
    run_sql(world, "UPDATE memory_line SET text = '', erased_at = now() WHERE id = {own.line}")
    with pytest.raises(IntegrityError) as refusal:
        run_sql(world, "UPDATE memory_line SET text = 'Back.', erased_at = NULL WHERE id = {own.line}")
    assert answering(refusal) == "line_is_immutable"


def test_a_line_is_not_rewritten_under_cover_of_erasing(world: World) -> None:
    with pytest.raises(IntegrityError) as refusal:
        run_sql(world, "UPDATE memory_line SET text = 'Other.', erased_at = now() WHERE id = {own.line}")
    assert answering(refusal) == "line_text_until_erased"


@pytest.mark.parametrize("kind", ["message", "atom", "version"])
@pytest.mark.parametrize(
    "change",
    ["consumed_by_id = {own.run}", "consumed_by_id = NULL", "parked_at = now(), parked_by_id = {own.run}"],
)
def test_an_input_may_be_consumed_parked_and_given_back(world: World, kind: str, change: str) -> None:
    touched = run_sql(world, f"UPDATE {TABLES[kind]} SET {change} WHERE id = {{own.{kind}}}")
    check_now()
    assert touched == 1


@pytest.mark.parametrize("receipt", ["receipt_of_atom", "receipt_of_line", "receipt_of_trait"])
def test_a_correction_is_evidence_for_every_derived_row(world: World, receipt: str) -> None:
    targets = {"message_id": None, "atom_id": None, "line_id": None, "correction_id": Ref("own.correction")}
    made = insert_copy(world, f"own.{receipt}", targets)
    check_now()
    kept = "SELECT 1 FROM memory_evidence WHERE id = {made} AND correction_id = {own.correction}"
    assert run_sql({**world, "made": made}, kept) == 1


def test_an_atom_may_rest_on_something_outside(world: World) -> None:
    outside = {"outside_kind": "ticket", "outside_reference": "PAY-1", "outside_authority": 3}
    made = insert_copy(world, "own.receipt_of_atom", {"message_id": None, **outside})
    check_now()
    kept = "SELECT 1 FROM memory_evidence WHERE id = {made} AND outside_reference = 'PAY-1'"
    assert run_sql({**world, "made": made}, kept) == 1
