"""The checker finds what the database would have refused, and nothing in a memory that is whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory.cascade.work import ensure_work
from memory.models import Atom, Chain, Evidence, Line, Run, Session, Step, Unpromoted, Work
from memory.stewardship.verify import verify
from tests.cast import Alice, make_alice, make_bob
from tests.factories import make_entity, make_pending_message, make_run

PAST = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def alice(db: None) -> Alice:
    return make_alice()


@pytest.fixture
def no_constraints(alice: Alice) -> Iterator[None]:
    """As in a database whose constraints were lost: the schema's owner would not notice, the checker does."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    yield
    connection.set_rollback(True)


def kinds(alice: Alice, *, is_settled: bool = False) -> list[str]:
    return [problem.kind for problem in verify(alice.entity, is_settled=is_settled)]


def test_a_whole_memory_has_no_problem(alice: Alice) -> None:
    make_bob()
    assert verify(is_settled=True) == []


def test_a_derived_row_without_evidence_is_named_with_its_entity(alice: Alice, no_constraints: None) -> None:
    Evidence.objects.filter(of_line=alice.approval_line).delete()
    Evidence.objects.filter(of_trait_version=alice.trait).delete()
    Evidence.objects.filter(of_atom=alice.approval).delete()
    found = verify(alice.entity)
    assert [(problem.kind, problem.entity, problem.row) for problem in found] == [
        ("atom_without_evidence", "agent.alice-test", f"memory_atom {alice.approval.pk}"),
        ("line_without_evidence", "agent.alice-test", f"memory_line {alice.approval_line.pk}"),
        ("trait_version_without_evidence", "agent.alice-test", f"memory_traitversion {alice.trait.pk}"),
    ]


def test_problems_of_another_entity_are_not_told(alice: Alice, no_constraints: None) -> None:
    Evidence.objects.filter(of_atom=alice.approval).delete()
    assert verify(make_entity("agent.carol")) == []


def test_a_chain_without_atoms_is_found(alice: Alice) -> None:
    Chain.objects.create(workspace=alice.entity.workspace, entity=alice.entity)
    assert kinds(alice) == ["empty_chain"]


def test_a_run_whose_work_was_claimed_again_is_found(alice: Alice) -> None:
    ensure_work(alice.entity)
    make_run(alice.entity, status=Run.Status.RUNNING, finished_at=None, token=1)
    work = Work.objects.filter(entity=alice.entity, step=Step.L1_EXTRACT)
    work.update(token=1, lease_until=PAST)
    assert kinds(alice) == []
    work.update(token=2)
    assert kinds(alice) == ["overtaken_run"]


def test_what_waits_runs_or_is_leased_is_a_problem_only_at_rest(alice: Alice) -> None:
    ensure_work(alice.entity)
    make_pending_message(alice.entity, "One more thing.")
    make_run(alice.entity, Step.PERSONA, status=Run.Status.RUNNING, finished_at=None)
    Work.objects.filter(entity=alice.entity, step=Step.PERSONA).update(lease_until=PAST, due_at=PAST)
    assert kinds(alice) == []
    assert kinds(alice, is_settled=True) == ["message_waits", "run_under_way", "work_leased", "work_due"]


def test_a_session_without_its_brief_is_a_problem_only_at_rest(alice: Alice) -> None:
    ensure_work(alice.entity)
    Session.objects.filter(external_id="first").update(takes_turns=True, ended_at=PAST)
    assert (kinds(alice), kinds(alice, is_settled=True)) == ([], ["session_waits"])


def test_a_message_that_no_sweep_would_see_is_found(alice: Alice) -> None:
    make_pending_message(alice.entity, "One more thing.")
    assert kinds(alice) == ["input_without_work"]


def test_a_live_line_on_a_dead_atom_is_found_at_rest_unless_it_is_pinned(alice: Alice) -> None:
    ensure_work(alice.entity)
    Atom.objects.filter(pk=alice.approval.pk).update(status=Atom.Status.RETRACTED)
    assert kinds(alice, is_settled=True) == ["promotion_waits", "line_on_dead_atom"]
    Unpromoted.objects.all().delete()
    assert (kinds(alice), kinds(alice, is_settled=True)) == ([], ["line_on_dead_atom"])
    Line.objects.filter(pk=alice.approval_line.pk).update(is_pinned=True)
    assert kinds(alice, is_settled=True) == []


def told(*arguments: str) -> tuple[int, str]:
    """The command's exit code and output."""
    output = StringIO()
    try:
        call_command("verify", *arguments, stdout=output)
    except SystemExit as end:
        return int(end.code or 0), output.getvalue()
    return 0, output.getvalue()


def test_the_command_says_that_all_is_well(alice: Alice) -> None:
    looked_at = (
        "2 sessions, 4 messages, 3 atoms, 2 scene versions, 4 lines, 1 trait versions, 10 receipts, 5 runs"
    )
    assert told("--settled") == (0, f"No problem found: 66 rules over {looked_at}.\n")


def test_the_command_ends_with_1_and_names_each_problem(alice: Alice) -> None:
    chain = Chain.objects.create(workspace=alice.entity.workspace, entity=alice.entity)
    row = f"memory_chain {chain.pk}"
    told_lines = (
        f"problem      entity            {'row':<{len(row)}}  what is wrong",
        f"empty_chain  agent.alice-test  {row}  no atom is in the chain",
        "1 problems.",
    )
    assert told() == (1, "".join(f"{line}\n" for line in told_lines))
    code, output = told("--workspace", "demo", "--entity", "agent.alice-test", "--json")
    assert (code, [problem["kind"] for problem in json.loads(output)["problems"]]) == (1, ["empty_chain"])


@pytest.mark.parametrize(
    "arguments", [("--entity", "agent.alice-test"), ("--workspace", "demo", "--entity", "agent.nobody")]
)
def test_the_command_refuses_an_entity_that_it_cannot_find(alice: Alice, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("verify", *arguments)
