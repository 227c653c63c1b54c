"""What several messages did, asked at once."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import Entity
from tests.api.conftest import Caller
from tests.factories import make_message

CHANGES = "/api/v1/records/changes"


def test_messages_are_told_together_however_they_are_named(caller: Caller, alice: Entity) -> None:
    first, second = make_message(alice, "One."), make_message(alice, "Two.")
    ids = [str(first.pk), str(second.pk)]
    told = [
        caller.get(CHANGES, entity="agent.alice", record=given).json()  # type: ignore[attr-defined]
        for given in (ids, ",".join(ids), [*ids, ids[0]])
    ]
    assert told[0] == told[1] == told[2]
    assert (told[0]["entity"], told[0]["changes"]["messages"]) == ("agent.alice", 2)


def test_messages_of_others_are_not_there(caller: Caller, alice: Entity, bob: Entity) -> None:
    mine, his = make_message(alice, "Mine."), make_message(bob, "His.")
    reply = caller.get(CHANGES, entity="agent.alice", record=[str(mine.pk), str(his.pk)])
    assert (reply.status_code, reply.json()["error"]) == (404, "not_found")  # type: ignore[attr-defined]


@pytest.mark.parametrize("given", [{}, {"record": "soon"}, {"record": []}, {"record": ["x"] * 101}])
def test_what_cannot_be_taken_is_refused(caller: Caller, alice: Entity, given: dict[str, str]) -> None:
    reply = caller.get(CHANGES, entity="agent.alice", **given)
    assert (reply.status_code, reply.json()["error"]) == (400, "invalid")  # type: ignore[attr-defined]


def test_statements_do_not_grow_with_the_messages(caller: Caller, alice: Entity) -> None:
    ids = [str(make_message(alice, f"Word {number}.").pk) for number in range(40)]
    caller.get(CHANGES, entity="agent.alice", record=ids[:1])
    counts = []
    for size in (2, 40):
        with CaptureQueriesContext(connection) as captured:
            assert caller.get(CHANGES, entity="agent.alice", record=ids[:size]).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
