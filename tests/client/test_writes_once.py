"""A write that arrived and whose reply got lost is there once, and the caller is told of it."""

from __future__ import annotations

from memory.client import Authority, Evidence, Memory, NewMessage, NewTurn, SubjectRef
from memory.models import Atom, Message, Session
from tests.client.servers import losing_replies


def test_a_turn_is_there_once(memory: Memory, url: str, key: str) -> None:
    opened = memory.session.create(entity="agent.alice")
    with losing_replies(url, "/turns") as server, Memory(server.url, key) as through:
        session = through.session.resume(opened.id)
        turn = session.add_turn(role="user", content="Is it there?")
        more = session.add_turns([NewTurn(role="user", content="yes"), NewTurn(role="user", content="yes")])
    assert len(server.asked) == 4
    assert [(row.pk, row.text) for row in Message.objects.order_by("ordinal")] == [
        (turn.id, "Is it there?"),
        (more[0].id, "yes"),
        (more[1].id, "yes"),
    ]


def test_messages_are_there_once(url: str, key: str) -> None:
    messages = [NewMessage(session="s", role="user", content="yes") for _ in range(2)]
    with losing_replies(url, "/records") as server, Memory(server.url, key) as through:
        stored = through.records(messages, entity="agent.alice")
    assert [row.pk for row in Message.objects.order_by("ordinal")] == [message.id for message in stored]
    assert [(message.ordinal, message.created) for message in stored] == [(0, False), (1, False)]


def test_a_session_is_made_once(url: str, key: str) -> None:
    with losing_replies(url, "/sessions") as server, Memory(server.url, key) as through:
        first = through.session.create(group_id="acme", user_id="u1")
        second = through.session.create(group_id="acme", user_id="u1")
    assert (first.is_new, second.is_new, first.entity) == (True, True, second.entity)
    assert set(Session.objects.values_list("pk", flat=True)) == {first.id, second.id}


def test_a_session_of_a_name_is_made_once(url: str, key: str) -> None:
    with losing_replies(url, "/sessions") as server, Memory(server.url, key) as through:
        found = through.session.create(entity="agent.alice", external_id="call-7")
        again = through.session.create(entity="agent.alice", external_id="call-7")
    assert (found.id, found.external_id, again.is_new) == (again.id, "call-7", False)


def test_a_claim_is_there_once(memory: Memory, url: str, key: str) -> None:
    opened = memory.session.create(entity="agent.alice")
    with losing_replies(url, "/claims") as server, Memory(server.url, key) as through:
        claim, outcome = through.session.resume(opened.id).observe(
            subject=SubjectRef(kind="customer", identifier="c-1"),
            predicate="billing.plan",
            value={"cycle": "annual"},
            authority=Authority.application,
            evidence=[Evidence(kind="tool_event", reference="plan")],
        )
    assert claim is not None
    assert (outcome, outcome.created, outcome.holds) == ("repeated", False, claim)
    assert list(Atom.objects.values_list("pk", flat=True)) == [claim.id]
    assert [receipt.reference for receipt in claim.evidence] == ["plan"]


def test_ending_and_folding_bear_a_second_time(memory: Memory, url: str, key: str) -> None:
    opened = memory.session.create(entity="agent.alice")
    with losing_replies(url, "/compact") as server, Memory(server.url, key) as through:
        assert through.session.resume(opened.id).compact_async().compaction == "waiting"
    with losing_replies(url, "/end") as server, Memory(server.url, key) as through:
        assert through.session.resume(opened.id).end().ended_at is not None
    assert [asked.path.rsplit("/", 1)[1] for asked in server.asked[1:]] == ["end", "end"]
