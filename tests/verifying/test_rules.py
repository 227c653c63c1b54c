"""Each rule is broken on purpose, by SQL in a database without constraints, and named by the checker."""

from __future__ import annotations

import pytest
from django.db import connection

from memory.ingest.tombstones import tombstone_of
from memory.models import Erasure, Message, Tombstone
from memory.stewardship.verify import ALWAYS, WHEN_SETTLED, verify
from tests.factories import SAID_AT
from tests.verifying.breaches import BREACHES, Breach
from tests.verifying.world import World

TRIED_BELOW = {"erased_message_returned"}


def kinds(world: World, *, is_settled: bool = False) -> set[str]:
    return {problem.kind for problem in verify(world.alice.entity, is_settled=is_settled)}


def do(world: World, statement: str) -> None:
    with connection.cursor() as cursor:
        for part in statement.split(";"):
            cursor.execute(part, world.names)


def test_the_whole_world_breaks_no_rule(lawless: World) -> None:
    assert verify(is_settled=True) == []


@pytest.mark.parametrize("breach", BREACHES, ids=lambda breach: breach.kinds[0])
def test_a_breach_is_named(lawless: World, breach: Breach) -> None:
    do(lawless, breach.statement)
    found = kinds(lawless, is_settled=breach.is_settled)
    assert found == set(breach.kinds)
    # Bob's memory is as whole as it was; of all entities the same is told.
    assert verify(lawless.bob, is_settled=True) == []
    assert {problem.kind for problem in verify(is_settled=breach.is_settled)} == found


@pytest.mark.parametrize(
    "breach", [breach for breach in BREACHES if breach.is_settled], ids=lambda breach: breach.kinds[0]
)
def test_what_waits_is_no_problem_while_the_cascade_is_at_work(lawless: World, breach: Breach) -> None:
    do(lawless, breach.statement)
    assert breach.kinds[0] not in kinds(lawless)


def test_a_message_whose_key_was_erased_is_named(lawless: World) -> None:
    entity, message = lawless.alice.entity, lawless.alice.messages[0]
    Message.objects.filter(pk=message.pk).update(dedupe_key="gone")
    erasure = Erasure.objects.create(workspace=entity.workspace, scope="messages", expires_at=SAID_AT)
    digests = (tombstone_of(entity, "key", b"other"), tombstone_of(entity, "content", b"gone"))
    for digest in digests:
        Tombstone.objects.create(workspace=entity.workspace, erasure=erasure, digest=digest)
    assert kinds(lawless) == set()
    Tombstone.objects.create(
        workspace=entity.workspace, erasure=erasure, digest=tombstone_of(entity, "key", b"gone")
    )
    [problem] = verify(entity)
    assert (problem.kind, problem.row) == ("erased_message_returned", f"memory_message {message.pk}")


def test_every_rule_is_broken_here() -> None:
    rules = {check.kind for check in (*ALWAYS, *WHEN_SETTLED)}
    assert rules == {breach.kinds[0] for breach in BREACHES} | TRIED_BELOW
